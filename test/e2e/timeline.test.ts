import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { EventInput, Session } from '../../src/api.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

const inspector = inspectorFor()

/** A session of some 30 events in which everything happens once. */
async function storyOf({ ended = true } = {}): Promise<Session> {
  const session = await inspector().tl.sessions.create({ userId: 'ada', task: 'Add retries', chatmode: 'architect' })
  await session.append([
    { type: 'user_message', content: 'Please **add retries** to `connect()`.\n\n- [x] read it\n- [ ] change it' },
    {
      type: 'model_message',
      agentId: 'coach',
      content: `# Plan\n\nSee [the docs](https://example.org/docs) and [this](javascript:alert(1)).\n\n\`\`\`ts\nconst long = ${"'x' + ".repeat(60)}'x'\n\`\`\`\n\n| a | b |\n| - | - |\n| 1 | 2 |`,
      parts: { toolCalls: [{ id: 'c1', name: 'read_file', arguments: '{"path":"src/connect.ts"}' }] },
    },
    { type: 'tool_result', content: 'export function connect() {}', parts: { toolCallId: 'c1' } },
    { type: 'tool_call', content: 'grep', parts: { id: 'c2', name: 'grep', arguments: { pattern: 'retry' } } },
    { type: 'tool_result', content: 'no such file', parts: { toolCallId: 'c2', isError: true } },
    { type: 'tool_result', content: 'nobody asked', parts: { toolCallId: 'gone' } },
    {
      type: 'tool_call',
      content: 'sleep',
      parts: { id: 'c3', name: 'sleep', arguments: '{"seconds":12345678901234567890}' },
    },
    { type: 'x.metric', parts: { tokens: 12 } },
    { type: 'memory_recall', content: 'Ada likes short answers' },
    { type: 'system_event', content: 'Be brief.' },
  ])
  await session.updateState({ current_task: 'Design', blockers: ['none yet'] })
  await session.passGate(1, 'Schema reviewed')
  await session.handoff({ to: 'motivator', reason: 'The design stands', context: { key_decisions: ['backoff'] } })
  await session.takeHandoff()
  session.observe.fileRead({ path: 'src/connect.ts' })
  session.observe.command({ command: 'npm test', exitCode: 1, output: 'two tests failed' })
  await session.flushStep()
  await session.ask('A fixed pause, or one that grows?')
  await session.answer('One that grows')
  await session.propose('connect() tries again.')
  if (ended) await session.confirm()
  return session
}

/** A session with so many events: a question every tenth, from the fifth on. */
async function longOne(length: number, type: 'system_event' | 'x.tick' = 'system_event'): Promise<Session> {
  const session = await inspector().tl.sessions.create({ userId: 'ada', task: 'A long one' })
  const event = (n: number): EventInput =>
    n % 10 === 5 ? { type: 'user_message', content: `question ${n}` } : { type, content: `tick ${n}` }
  for (let n = 2; n <= length; n += 500) {
    await session.append(Array.from({ length: Math.min(500, length - n + 1) }, (_, i) => event(n + i)))
  }
  return session
}

/** The machine may be busy. */
const PATIENT = { timeout: 10_000 }

const timeline = (session: Session, query = '') => `#/sessions/${session.id}/timeline${query}`
const row = (page: Page, sequence: number) => page.getByRole('article', { name: new RegExp(`^Event ${sequence}:`) })
const isDrawn = async (page: Page, sequence: number) => await row(page, sequence).getByRole('link').first().isVisible()

/** Where a row is on the screen. */
async function topOf(page: Page, sequence: number): Promise<number> {
  return Math.round((await row(page, sequence).boundingBox())?.y ?? Number.NaN)
}

/** How far below the upper edge of the list a row begins; nothing if it is not in view. */
async function placeOf(page: Page, sequence: number): Promise<number | undefined> {
  return await page.getByRole('feed').evaluate((list, wanted) => {
    const one = list.querySelector(`[data-sequence="${wanted}"]`)?.getBoundingClientRect()
    const { top, bottom } = list.getBoundingClientRect()
    return one === undefined || one.top < top || one.bottom > bottom ? undefined : Math.round(one.top - top)
  }, sequence)
}

/** Scrolls as a wheel does. */
async function wheel(page: Page, pixels: number): Promise<void> {
  await page.getByRole('feed').hover()
  await page.mouse.wheel(0, pixels)
}

describe('the timeline', () => {
  it('shows events turn by turn', async () => {
    const session = await storyOf()
    const page = await inspector().open(timeline(session, '?event=1'))
    await row(page, 3).getByText('Plan').waitFor()
    await page.getByText('Turn 1', { exact: true }).waitFor()

    const said = row(page, 2)
    expect(await said.locator('strong').textContent()).toBe('add retries')
    expect(await said.getByRole('listitem').allTextContents()).toEqual(['read it', 'change it'])
    const answer = row(page, 3)
    const link = answer.getByRole('link', { name: 'the docs' })
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    expect(await answer.getByRole('link', { name: 'this' }).count()).toBe(0)
    expect(await answer.getByRole('cell').allTextContents()).toEqual(['1', '2'])

    const call = answer.getByRole('button', { name: /read_file.*ok/ })
    expect(await call.getAttribute('aria-expanded')).toBe('false')
    await call.click()
    await answer.getByText('export function connect() {}').waitFor()
    await row(page, 4).getByText('result of the call at #3').waitFor()
    await row(page, 4).getByRole('link', { name: '#4' }).click()
    await row(page, 4).getByText('export function connect() {}').waitFor()
    const today = new Date().getFullYear().toString()
    expect(await row(page, 1).getByRole('time').allTextContents()).toContainEqual(expect.stringContaining(today))
    await page.getByRole('button', { name: /grep.*failed/ }).click()
    await row(page, 5).getByText('no such file').waitFor()
    await row(page, 7).getByText('No matching tool call.').waitFor()
    await page.getByRole('button', { name: /sleep.*no result/ }).click()
    await row(page, 8).getByText('"seconds": 12345678901234567890').waitFor()
    expect(await axeFindings(page)).toEqual([])

    await page.getByRole('feed').press('End')
    await page.getByText('Turn 2', { exact: true }).waitFor()
    const texts = await page.getByRole('article').allTextContents()
    const holds = (pattern: RegExp) =>
      expect(
        texts.some((text) => pattern.test(text)),
        String(pattern),
      ).toBe(true)
    for (const pattern of [
      /scratchpad.*current_task = Design/,
      /gate.*1 passed: Schema reviewed/,
      /handoff.*assistant → motivator: The design stands/,
      /handoff taken.*by motivator/,
      /work.*step: read src\/connect.ts, ran npm test \(exit 1\)/,
      /status.*running → awaiting user/,
      /status.*awaiting user → running/,
      /status.*pending complete → complete/,
      /commit.*normal #1/,
    ])
      holds(pattern)

    await page.getByRole('button', { name: /^work.*npm test/ }).click()
    await page.getByText('two tests failed').waitFor()
    const work = page.getByRole('article', { name: /work committed/ }).filter({ hasText: 'two tests failed' })
    await work.getByRole('button', { name: 'Raw JSON' }).click()
    await work.getByText('"type": "work_committed"').waitFor()
    await work.getByRole('button', { name: 'Copy link to this event' }).waitFor()
  })

  it('shows that a call of a live session waits for its result, until it arrives', async () => {
    const session = await inspector().tl.sessions.create({ userId: 'ada' })
    await session.append({ type: 'tool_call', content: 'build', parts: { id: 'b', name: 'build', arguments: '{}' } })
    const page = await inspector().open(timeline(session))
    await page.getByRole('button', { name: /build.*waiting for result/ }).waitFor()
    await session.append({ type: 'tool_result', content: 'built', parts: { toolCallId: 'b' } })
    await page.getByRole('button', { name: /build.*ok/ }).waitFor()
  })

  it('reaches any event of a long log by links, numbers and keys', async () => {
    const session = await longOne(5000)
    const asked: string[] = []
    const page = await inspector().open('#/elsewhere')
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(`${inspector().url}/${timeline(session)}`)
    await row(page, 5000).getByText('tick 5000').waitFor()
    expect(await page.getByRole('article').count()).toBeLessThan(80)

    const goTo = async (text: string) => {
      await page.getByLabel('Go to event').fill(text)
      await page.getByLabel('Go to event').press('Enter')
    }
    const isNearTop = (sequence: number) => async () => ((await placeOf(page, sequence)) ?? 999) < 100
    await goTo('2505')
    await row(page, 2505).getByText('question 2505').waitFor()
    await page.getByText('Turn 251', { exact: true }).waitFor()
    const current = page.locator('article[aria-current]')
    await expect.poll(() => current.getAttribute('aria-label'), PATIENT).toContain('Event 2505')
    await expect.poll(() => current.evaluate((element) => element === document.activeElement), PATIENT).toBe(true)
    expect(page.url()).toContain('event=2505')
    // the events around each place, and at most one question for the number of the turn, however long the log is
    expect(asked.filter((url) => url.includes('/events?')).length).toBeLessThan(30)
    expect(asked.filter((url) => url.includes('/at/')).length).toBeLessThan(2)

    // asked for again, by number or link, it is there again
    await expect.poll(isNearTop(2505), PATIENT).toBe(true)
    await wheel(page, -300)
    await expect.poll(isNearTop(2505), PATIENT).toBe(false)
    await row(page, 2505).getByRole('link', { name: '#2505' }).click()
    await expect.poll(isNearTop(2505), PATIENT).toBe(true)
    await wheel(page, 9000)
    await expect.poll(() => placeOf(page, 2505), PATIENT).toBeUndefined()
    await goTo('5001')
    await page.getByText('Enter a number from 1 to 5,000').waitFor()
    expect(await page.getByLabel('Go to event').getAttribute('aria-invalid')).toBe('true')
    await goTo('#2,505')
    await expect.poll(isNearTop(2505), PATIENT).toBe(true)

    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-posinset'))
    await expect.poll(focused, PATIENT).toBe('2505')
    // by pages too: the keys go on from what is in view
    await page.keyboard.press('PageDown')
    await expect.poll(() => placeOf(page, 2508), PATIENT).toBeUndefined()
    await page.keyboard.press('j')
    await expect.poll(async () => Number(await focused()), PATIENT).toBeGreaterThan(2508)
    await goTo('2505')
    await expect.poll(focused, PATIENT).toBe('2505')
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowDown')
    await expect.poll(focused, PATIENT).toBe('2507')
    await page.keyboard.press('k')
    await expect.poll(focused, PATIENT).toBe('2506')
    await page.keyboard.press('Enter')
    await row(page, 2506).getByText('system_event', { exact: true }).last().waitFor()
    await page.keyboard.press('Home')
    await expect.poll(focused, PATIENT).toBe('1')
    await expect.poll(() => isDrawn(page, 1), PATIENT).toBe(true)
    await page.keyboard.press('End')
    await expect.poll(focused, PATIENT).toBe('5000')
    await expect.poll(() => isDrawn(page, 5000), PATIENT).toBe(true)
    // one stop of the tab key for the row, one for each thing in it, then the list is over
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('[role="feed"]') === null)).toBe(true)

    // back at once, to where the address says
    await goTo('200')
    await row(page, 200).getByText('tick 200').waitFor()
    await expect.poll(isNearTop(200), PATIENT).toBe(true)
    await page.goBack()
    await expect.poll(isNearTop(2505), PATIENT).toBe(true)
    await page.goBack()
    await expect.poll(() => placeOf(page, 5000), PATIENT).toBeDefined()
    await page.goto(`${inspector().url}/${timeline(session, '?event=5001')}`)
    await page.getByText('Event not found. This log has events 1 to 5,000.').waitFor()
  })

  it('follows the log at its end, and never moves a reader elsewhere', async () => {
    const session = await longOne(300)
    const page = await inspector().open(timeline(session))
    await row(page, 300).getByText('tick 300').waitFor()
    await session.append({ type: 'user_message', content: 'and now?' })
    await row(page, 301).getByText('and now?').waitFor()
    await page.getByText('Turn 31', { exact: true }).waitFor()
    const box = page.getByRole('feed')
    const rest = () =>
      box.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)
    await expect.poll(rest, PATIENT).toBeLessThan(2)

    // what is opened at the end grows downwards: its beginning stays where it is
    const before = await topOf(page, 300)
    await row(page, 300)
      .getByRole('button', { name: /system/ })
      .click()
    await row(page, 300).getByRole('button', { name: 'Raw JSON' }).waitFor()
    expect(Math.abs((await topOf(page, 300)) - before)).toBeLessThan(3)

    await wheel(page, -2000)
    await expect.poll(rest, PATIENT).toBeGreaterThan(1500)
    const seen = await page.getByRole('article').nth(15).getAttribute('aria-posinset')
    await row(page, Number(seen)).getByRole('link').waitFor()
    const place = await topOf(page, Number(seen))
    await session.append(
      Array.from({ length: 30 }, (_, i) => ({ type: 'system_event' as const, content: `late ${i}` })),
    )
    await page.getByRole('button', { name: '30 new events' }).waitFor()
    expect(await topOf(page, Number(seen))).toBe(place)
    await page.getByRole('button', { name: '30 new events' }).click()
    await row(page, 331).getByText('late 29').waitFor()
    await expect.poll(rest, PATIENT).toBeLessThan(2)
    await expect.poll(() => page.getByRole('button', { name: /new event/ }).count(), PATIENT).toBe(0)
  })

  it('filters events, loads older ones while scrolling, and follows new ones', async () => {
    const session = await longOne(3900, 'x.tick')
    const page = await inspector().open(timeline(session))
    await page.getByRole('button', { name: 'Messages' }).click()
    await row(page, 3895).getByText('question 3895').waitFor()
    await page.getByText('Turn 390', { exact: true }).waitFor()
    await page.getByText('200 events since event 1,905').waitFor()
    await session.append({ type: 'user_message', content: 'one more' })
    await row(page, 3901).getByText('one more').waitFor()
    await wheel(page, -100_000)
    await page.getByText('391 events', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Custom' }).click()
    await row(page, 3900).getByText('tick 3900').waitFor()
    await page.getByRole('button', { name: 'Load older events' }).click()
    // the event that the address names stays the place, also where it is not shown itself
    await page.getByLabel('Go to event').fill('102')
    await page.getByLabel('Go to event').press('Enter')
    await expect.poll(() => placeOf(page, 102), PATIENT).toBeDefined()
    await page.getByRole('button', { name: 'Messages' }).click()
    await expect.poll(() => placeOf(page, 95), PATIENT).toBeLessThan(150)
    await page.getByRole('button', { name: 'All' }).click()
    await expect.poll(() => placeOf(page, 102), PATIENT).toBeLessThan(150)
    await page.goto(`${inspector().url}/${timeline(session)}`)
    await page.getByRole('button', { name: 'Work' }).click()
    await page.getByText('No matching events').waitFor()
    expect(page.url()).toContain('show=work')
    await page.getByRole('button', { name: 'All' }).click()
    await row(page, 3901).getByText('one more').waitFor()
  })

  it('fits a narrow dark screen and passes axe', async () => {
    const session = await storyOf({ ended: false })
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await inspector().open(timeline(session, '?event=3'), { viewport: NARROW, colorScheme })
      await row(page, 3).getByText('Plan').waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Raw JSON' }).click()
      expect(await axeFindings(page)).toEqual([])
      expect(await sticksOut(page)).toBe(false)
      const box = await page.getByRole('feed').boundingBox()
      expect(box?.height).toBeGreaterThan(NARROW.height * 0.8)
    }
  })

  it('shows a failure, and retries on request', async () => {
    const session = await longOne(30)
    const { open, allow, url } = inspector()
    allow(/503/)
    const page = await open('#/elsewhere')
    await page.route('**/events?*', (route) =>
      route.fulfill({ status: 503, json: { code: 'STORAGE', detail: 'no disk' } }),
    )
    await page.goto(`${url}/${timeline(session)}`)
    await page.getByRole('alert').getByText('no disk').waitFor()
    await page.unroute('**/events?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await row(page, 30).getByText('tick 30').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)

    // an answer that no view was made for takes the view, and nothing else
    allow(/thrown/)
    await page.route('**/events?*', async (route) => {
      const text = await (await route.fetch()).text()
      await route.fulfill({ body: text.replaceAll(/"content":"tick \d+"/g, '"content":null') })
    })
    await page.goto(`${url}/#/elsewhere`)
    // until the view is gone, coming back would show the events that it has
    await row(page, 30).waitFor({ state: 'detached' })
    await page.goto(`${url}/${timeline(session)}`)
    await page.getByRole('alert').getByText('This view failed').waitFor()
    await page.getByRole('link', { name: 'State', exact: true }).click()
    await page.getByRole('region', { name: 'State', exact: true }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})
