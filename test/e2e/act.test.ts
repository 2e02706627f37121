import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/api.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

const inspector = inspectorFor()
/** For a machine that has much else to do. */
const SOON = { timeout: 15_000 }

const start = async (task = 'Plan the trip') => await inspector().tl.sessions.create({ userId: 'ada', task })
const at = (session: Session, tab = 'state') => `#/sessions/${session.id}/${tab}`
const actions = (page: Page) => page.getByRole('region', { name: 'Actions' })
/** Opens the dialog of an action; one that is not in the bar is behind "More". */
async function openDialog(page: Page, name: string) {
  const bar = actions(page)
  const button = bar.getByRole('button', { name: `${name} …`, exact: true })
  await button.or(bar.getByText('More')).first().waitFor()
  if (!(await button.isVisible())) await bar.getByText('More').click()
  await button.click()
  return page.getByRole('dialog')
}
/** What the bar offers, but for the menu. */
const offered = (page: Page) => actions(page).getByRole('button').allInnerTexts()
const statusLine = (page: Page, text: string) => actions(page).getByRole('status').filter({ hasText: text })
const state = async (session: Session) => (await session.record()).status.state

describe('the actions on a session', () => {
  it('let the user send messages, interrupt, incorporate, continue and confirm, and link each event', async () => {
    const session = await start()
    const page = await inspector().open(at(session))

    let dialog = await openDialog(page, 'Send message')
    await dialog.getByLabel('Message').fill('Hello there')
    await dialog.getByRole('button', { name: 'Send message' }).click()
    await statusLine(page, 'Sent.').getByRole('link', { name: 'Event 2' }).waitFor()
    expect(await session.events({ after: 1 })).toMatchObject([{ type: 'user_message', content: 'Hello there' }])

    dialog = await openDialog(page, 'Interrupt')
    await dialog.getByLabel('Message to the agent').fill('Tuesday is better')
    await dialog.getByRole('button', { name: 'Interrupt' }).click()
    await statusLine(page, 'Interrupted.').waitFor()
    expect((await session.record()).status).toEqual({ state: 'interrupted', userMessage: 'Tuesday is better' })

    dialog = await openDialog(page, 'Incorporate')
    await dialog.getByText('Tuesday is better').waitFor()
    await dialog.getByRole('button', { name: 'Incorporate' }).click()
    await statusLine(page, 'Incorporated.').waitFor()
    expect(await state(session)).toBe('running')

    await session.propose('The train is booked')
    dialog = await openDialog(page, 'Continue')
    await dialog.getByText('The train is booked').waitFor()
    await dialog.getByLabel('What is missing').fill('And the way back')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await statusLine(page, 'Continued.').waitFor()
    expect((await session.messages()).at(-1)).toMatchObject({ role: 'user', content: 'And the way back' })

    await session.propose('Both are booked')
    dialog = await openDialog(page, 'Confirm')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await statusLine(page, 'Confirmed.').waitFor()
    expect((await session.record()).status).toEqual({ state: 'complete' })
    expect((await session.events({ types: ['session_compacted'] })).length).toBe(1)
    // there is a commit already, and nothing else can be done
    await expect.poll(() => offered(page), SOON).toEqual(['Fork …'])
  })

  it('let somebody act as the agent (ask, propose), and end, compact and abort', async () => {
    const session = await start()
    const page = await inspector().open(at(session))
    let dialog = await openDialog(page, 'Ask the user')
    await dialog.getByLabel('Question').fill('Which day?')
    await dialog.getByRole('button', { name: 'Ask the user' }).click()
    const form = page.getByRole('form', { name: 'Answer the question' })
    await form.getByText('Which day?').waitFor()
    await form.getByLabel('Your answer').fill('Monday')
    await form.getByRole('button', { name: 'Answer' }).click()
    await statusLine(page, 'Answered.').waitFor()
    expect((await session.messages()).map(({ content }) => content)).toEqual(['Which day?', 'Monday'])

    dialog = await openDialog(page, 'Propose completion')
    await dialog.getByLabel('Summary').fill('All of it')
    await dialog.getByRole('button', { name: 'Propose completion' }).click()
    await statusLine(page, 'Proposed.').waitFor()
    expect(await state(session)).toBe('pending_complete')

    dialog = await openDialog(page, 'End')
    await dialog.getByRole('button', { name: 'End' }).click()
    await statusLine(page, 'Ended.').waitFor()
    expect((await session.record()).status).toEqual({ state: 'complete', endedBy: 'caller' })

    dialog = await openDialog(page, 'Compact')
    await dialog.getByLabel('Summary').fill('A short trip')
    await dialog.getByRole('button', { name: 'Compact' }).click()
    const { sequence, content } = (await poll(session, 'session_compacted')) ?? { sequence: 0, content: '' }
    expect(content).toBe('A short trip')
    await statusLine(page, 'Compacted.')
      .getByRole('link', { name: `Event ${sequence}` })
      .waitFor()
    await expect.poll(() => offered(page), SOON).toEqual(['Fork …'])

    const other = await start()
    await page.goto(`${inspector().url}/${at(other)}`)
    await page.getByRole('code').getByText(other.id).waitFor()
    dialog = await openDialog(page, 'Abort')
    await dialog.getByRole('button', { name: 'Abort' }).click()
    // a reason is needed: the browser says so, and nothing is sent
    expect(
      await dialog.getByLabel('Reason').evaluate((field: HTMLTextAreaElement) => field.validity.valueMissing),
    ).toBe(true)
    await dialog.getByLabel('Reason').fill('Not needed any more')
    await dialog.getByRole('button', { name: 'Abort' }).click()
    await statusLine(page, 'Aborted.').waitFor()
    expect((await other.record()).status).toEqual({ state: 'aborted', reason: 'Not needed any more' })
  })

  it('say so if somebody else made the commit first', async () => {
    const session = await start()
    await session.end()
    const page = await inspector().open(at(session))
    const dialog = await openDialog(page, 'Compact')
    await dialog.getByLabel('Summary').fill('Mine')
    await session.compact('Theirs')
    await dialog.getByRole('button', { name: 'Compact' }).click()
    await statusLine(page, 'The session already had a commit; yours was not used.').waitFor()
  })

  it('fork a session at the event in the address, and open the fork', async () => {
    const session = await start()
    await session.append([1, 2, 3].map((n) => ({ type: 'user_message', content: `Message ${n}` }) as const))
    await session.end()
    const page = await inspector().open(`${at(session, 'timeline')}?event=2`)
    let dialog = await openDialog(page, 'Fork')
    expect(await dialog.getByLabel('Last event to copy').inputValue()).toBe('2')
    await dialog.getByLabel('Task').fill('Some way')
    await page.keyboard.press('Escape')
    await page.goto(`${inspector().url}/${at(session, 'timeline')}?event=3`)
    dialog = await openDialog(page, 'Fork')
    expect(await dialog.getByLabel('Last event to copy').inputValue()).toBe('3')
    expect(await dialog.getByLabel('Task').inputValue()).toBe('Some way')
    await dialog.getByLabel('Task').fill('Another way')
    await dialog.getByRole('button', { name: 'Fork' }).click()
    await page.getByRole('heading', { name: 'Another way' }).waitFor()
    const [fork] = (await inspector().tl.sessions.list({ userId: 'ada' })).items
    expect(page.url()).toContain(fork?.id)
    expect(fork).toMatchObject({ forkedFrom: { sessionId: session.id, sequence: 3 }, task: 'Another way' })
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.goBack()
    await page.getByRole('code').getByText(session.id).waitFor()
  })

  it('are offered if the state allows them, and not for an expired session', async () => {
    const { tl, open } = inspector()
    const session = await tl.sessions.create({ userId: 'ada', expiresInMs: 1 })
    const page = await open(at(session))
    await expect.poll(() => offered(page), SOON).toEqual(['Compact …', 'Fork …'])
    await page.getByRole('heading', { name: 'Expired' }).waitFor()
  })

  it('show refusals, report a changed state, and keep drafts', async () => {
    const { open, allow } = inspector()
    allow(/409|400/)
    const session = await start()
    const page = await open(at(session))
    let dialog = await openDialog(page, 'Interrupt')
    const field = dialog.getByLabel('Message to the agent')
    await field.fill('   ')
    await dialog.getByRole('button', { name: 'Interrupt' }).click()
    await dialog.getByRole('alert').getByText('VALIDATION').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')

    await field.fill('Tuesday is better')
    await session.ask('Which day?')
    await dialog.getByText('The session changed from running to awaiting user.').waitFor()
    await dialog.getByRole('button', { name: 'Interrupt' }).click()
    await dialog.getByRole('alert').getByText('INVALID_TRANSITION').waitFor()
    expect(await field.inputValue()).toBe('Tuesday is better')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count(), SOON).toBe(0)

    // an answer that is being typed stays, whoever answers first
    const answer = page.getByLabel('Your answer')
    await answer.fill('Wednesday')
    await session.answer('Monday')
    await page.getByText('This question is no longer open.').waitFor()
    await answer.press('Control+Enter')
    await page.getByRole('alert').getByText('INVALID_TRANSITION').waitFor()
    expect(await answer.inputValue()).toBe('Wednesday')
    await answer.fill('')
    await expect.poll(() => answer.count(), SOON).toBe(0)

    // what was typed into the dialog is still there
    dialog = await openDialog(page, 'Interrupt')
    expect(await field.inputValue()).toBe('Tuesday is better')
    await dialog.getByRole('button', { name: 'Interrupt' }).click()
    await statusLine(page, 'Interrupted.').waitFor()
    expect(await session.messages()).toHaveLength(3)
  })

  it('write once, however often they are sent', async () => {
    const { open, allow } = inspector()
    allow(/ERR_FAILED/)
    const session = await start()
    const page = await open(at(session))
    const sent: string[] = []
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())))
    let dialog = await openDialog(page, 'Send message')
    await dialog.getByLabel('Message').fill('Only once')
    await dialog.getByRole('button', { name: 'Send message' }).evaluate((button: HTMLButtonElement) => {
      button.click()
      button.click()
    })
    await statusLine(page, 'Sent.').waitFor()
    expect(sent).toHaveLength(1)
    expect(await session.messages()).toHaveLength(1)

    // it arrives, but the answer does not
    await page.route('**/messages', async (route) => {
      await route.fetch()
      await route.abort()
    })
    dialog = await openDialog(page, 'Send message')
    await dialog.getByLabel('Message').fill('Once more')
    await dialog.getByRole('button', { name: 'Send message' }).click()
    await dialog.getByRole('alert').getByText('UNREACHABLE').waitFor()
    expect(await session.messages()).toHaveLength(2)
    await page.unroute('**/messages')
    await page.keyboard.press('Escape')
    dialog = await openDialog(page, 'Send message')
    await dialog.getByRole('button', { name: 'Send message' }).click()
    await statusLine(page, 'Sent.').getByRole('link', { name: 'Event 3' }).waitFor()
    expect(await session.messages()).toHaveLength(2)

    // the same words again, on purpose
    dialog = await openDialog(page, 'Send message')
    await dialog.getByLabel('Message').fill('Once more')
    await dialog.getByRole('button', { name: 'Send message' }).click()
    await statusLine(page, 'Sent.').getByRole('link', { name: 'Event 4' }).waitFor()
  })

  it('get a new key once the session has moved on after a lost response', async () => {
    const { open, allow } = inspector()
    allow(/ERR_FAILED/)
    const session = await start()
    const page = await open(at(session))
    await page.route('**/interrupt', async (route) => {
      await route.fetch()
      await route.abort()
    })
    let dialog = await openDialog(page, 'Interrupt')
    await dialog.getByLabel('Message to the agent').fill('Stop')
    await dialog.getByRole('button', { name: 'Interrupt' }).click()
    await dialog.getByRole('alert').getByText('UNREACHABLE').waitFor()
    await page.unroute('**/interrupt')
    await page.keyboard.press('Escape')
    await session.incorporate()
    dialog = await openDialog(page, 'Interrupt')
    await dialog.getByRole('button', { name: 'Interrupt' }).click()
    await statusLine(page, 'Interrupted.').waitFor()
    expect(await state(session)).toBe('interrupted')
    expect(await session.messages()).toHaveLength(2)
  })

  it('reply only to the question or proposal on the screen', async () => {
    const session = await start()
    await session.ask('Shall I keep it?')
    const page = await inspector().open(at(session))
    const answer = page.getByLabel('Your answer')
    await answer.fill('Yes')
    // the page hears nothing of what happens now
    await page.route('**/stream*', () => undefined)
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await page.getByText('paused').waitFor()
    await session.answer('Yes')
    await session.ask('Shall I delete it?')
    await answer.press('Control+Enter')
    await page.getByRole('alert').getByText('CHANGED').waitFor()
    await page.getByRole('region', { name: 'Question' }).getByText('Shall I delete it?').waitFor()
    expect(await state(session)).toBe('awaiting_user')
    expect(await answer.inputValue()).toBe('Yes')
    await answer.fill('No')
    await answer.press('Control+Enter')
    await statusLine(page, 'Answered.').waitFor()
    expect((await session.messages()).at(-1)?.content).toBe('No')

    await session.propose('One')
    await page.unroute('**/stream*')
    await page.reload()
    const dialog = await openDialog(page, 'Confirm')
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
      document.dispatchEvent(new Event('visibilitychange'))
    })
    await session.continueWith('More')
    await session.propose('Two')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByRole('alert').getByText('CHANGED').waitFor()
    await dialog.getByText('Two').waitFor()
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await statusLine(page, 'Confirmed.').waitFor()
  })

  it('run independently and can be cancelled', async () => {
    const session = await start()
    const page = await inspector().open(at(session))
    await page.route('**/messages', () => undefined)
    let dialog = await openDialog(page, 'Send message')
    await dialog.getByLabel('Message').fill('Hello')
    await dialog.getByRole('button', { name: 'Send message' }).click()
    await dialog.getByRole('button', { name: 'Sending …' }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await statusLine(page, 'Send message: cancelled. The server may already have processed it.').waitFor()
    dialog = await openDialog(page, 'Interrupt')
    await dialog.getByLabel('Message to the agent').fill('Stop')
    await dialog.getByRole('button', { name: 'Interrupt' }).click()
    await statusLine(page, 'Interrupted.').waitFor()
  })

  it('work by keyboard alone', async () => {
    const session = await start()
    const page = await inspector().open(at(session))
    const more = actions(page).getByText('More')
    await more.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Abort …' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('button', { name: 'Abort …' }).count(), SOON).toBe(0)

    // into the dialog, back to where it was opened, and in again
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const reason = page.getByRole('dialog', { name: 'Abort the session' }).getByLabel('Reason')
    await expect.poll(() => isFocused(page, 'textarea'), SOON).toBe(true)
    await page.keyboard.type('Enough')
    await page.keyboard.press('Escape')
    await expect.poll(() => isFocused(page, 'summary'), SOON).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Abort …' }).press('Enter')
    expect(await reason.inputValue()).toBe('Enough')
    await page.keyboard.press('Control+Enter')
    await statusLine(page, 'Aborted.').waitFor()
    expect((await session.record()).status).toEqual({ state: 'aborted', reason: 'Enough' })
    // the button that had the focus is gone: what stands in its place has it
    await expect.poll(() => isFocused(page, '[aria-label="Actions"]'), SOON).toBe(true)
  })

  it('fit a phone and pass axe, light and dark', async () => {
    const session = await start()
    await session.ask(`Which day? ${'x'.repeat(3000)} \u202Eevil\nIs it\tMonday?`)
    const page = await inspector().open(at(session), { viewport: NARROW })
    await page.getByLabel('Your answer').waitFor()
    expect(await page.getByRole('region', { name: 'Question' }).innerText()).not.toContain('\u202E')
    await actions(page).getByText('More').click()
    expect(await sticksOut(page)).toBe(false)
    expect(await axeFindings(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Abort …' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await sticksOut(page)).toBe(false)
    expect(await axeFindings(page)).toEqual([])
  })
})

const isFocused = (page: Page, selector: string) =>
  page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector)

async function poll(session: Session, type: 'session_compacted') {
  await expect.poll(async () => (await session.events({ types: [type] })).length, SOON).toBe(1)
  return (await session.events({ types: [type] }))[0]
}
