import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/api.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut, WIDE } from './inspector.ts'

const inspector = inspectorFor()
/** For a machine that has much else to do. */
const SOON = { timeout: 15_000 }

const at = (session: Session) => `#/sessions/${session.id}/state`

async function lived(): Promise<Session> {
  const session = await inspector().tl.sessions.create({ userId: 'ada', task: 'Plan the trip' })
  await session.ask('Which day?')
  await session.answer('On Monday')
  await session.interrupt('Tuesday is better')
  await session.incorporate('Tuesday it is')
  await session.ask('Which berth?')
  return session
}

describe('the state of a session', () => {
  it('draws the steps taken and lists each with its text and event', async () => {
    const session = await lived()
    const page = await inspector().open(at(session))
    const steps = 'ask 2, answer 1, interrupt 1, incorporate 1'
    const diagram = page.getByRole('img', {
      name: `State machine. The session is awaiting user; steps taken: ${steps}.`,
    })
    await diagram.getByText('ask ×2').waitFor()
    await page.getByText('Show as a table').click()
    await page.getByRole('row', { name: 'propose running pending complete 0' }).waitFor()
    await page.getByRole('row', { name: 'abort any live state aborted 0' }).waitFor()

    await page.getByRole('heading', { name: 'Waiting for the user' }).waitFor()
    const path = page.getByRole('list', { name: 'Path taken' }).getByRole('listitem')
    await path.last().scrollIntoViewIfNeeded()
    await path.getByText('On Monday').waitFor()
    const lines = await path.allInnerTexts()
    expect(lines.map((line) => line.split(/\s/)[0])).toEqual([
      'ask',
      'incorporate',
      'interrupt',
      'answer',
      'ask',
      'create',
    ])
    for (const [i, words] of [
      'Which berth?',
      'Tuesday it is',
      'Tuesday is better',
      'On Monday',
      'Which day?',
    ].entries())
      expect(lines[i]).toContain(words)
    expect(lines[0]).toMatch(/for \d+ s so far/)

    // pointing at a step highlights it, by mouse and by keyboard
    const highlighted = () =>
      page.locator('svg:visible [data-kind="highlighted"]').filter({ has: page.locator('text') })
    await path.nth(2).hover()
    await expect.poll(() => highlighted().textContent(), SOON).toBe('interrupt ×1')
    await page.mouse.move(0, 0)
    const strip = page.getByRole('list', { name: 'States over time' }).getByRole('link')
    expect(await strip.count()).toBe(6)
    // two links to each event would be too many for the Tab key
    expect(await page.locator('main a[href*="event="]:not([tabindex="-1"])').count()).toBe(7)
    await strip.nth(2).focus()
    await expect.poll(() => highlighted().textContent(), SOON).toBe('answer ×1')

    const [asked] = await session.events({ types: ['status_changed'] })
    await path.nth(4).getByRole('link').click()
    await expect.poll(() => page.url(), SOON).toMatch(new RegExp(`event=${asked?.sequence}$`))
  })

  it('follows the session live to its end and commit', async () => {
    const session = await inspector().tl.sessions.create({ userId: 'ada', expiresInMs: 3_600_000 })
    const page = await inspector().open(at(session))
    const path = page.getByRole('list', { name: 'Path taken' }).getByRole('listitem')
    await page.getByRole('heading', { name: 'The agent is working' }).waitFor()
    await page.getByText(/\(in (59|60) min|\(in 1 h/).waitFor()
    await expect.poll(() => path.count(), SOON).toBe(1)
    await session.interrupt('Wait')
    await page.getByRole('heading', { name: 'Interrupted by the user' }).waitFor()
    await expect.poll(() => path.count(), SOON).toBe(2)
    await session.incorporate()
    await session.propose('All is **done**')
    await page.getByRole('heading', { name: 'Waiting for confirmation' }).waitFor()
    await session.confirm()
    await page.getByRole('heading', { name: 'Complete', exact: true }).waitFor()
    await page.getByText('The user confirmed it.').waitFor()
    await page.getByRole('heading', { name: /^Commit, event \d+/ }).waitFor()
    await expect.poll(() => path.count(), SOON).toBe(5)
    expect(await path.first().innerText()).toMatch(/^confirm[\s\S]*final/)

    const expired = await inspector().tl.sessions.create({ userId: 'ada', expiresInMs: 1 })
    await page.goto(`${inspector().url}/${at(expired)}`)
    await page.reload()
    await page.getByRole('heading', { name: 'Expired' }).waitFor()
    const diagram = page.getByRole('img', { name: 'The session was running when it expired; no steps taken yet.' })
    expect(await diagram.locator('text').allTextContents()).toEqual(expect.arrayContaining(['last']))
  })

  it('starts the path of a fork with the steps of its source', async () => {
    const source = await lived()
    await source.abort('Too dear')
    const fork = await source.fork()
    const page = await inspector().open(at(fork))
    await page.getByRole('heading', { name: 'The agent is working' }).waitFor()
    const path = page.getByRole('list', { name: 'Path taken' }).getByRole('listitem')
    expect(await path.first().innerText()).toMatch(/^fork\s+running/)
    await page.getByRole('img', { name: 'The session is running; no steps taken yet.' }).waitFor()
    await page.getByText('Steps before the fork are not counted.').waitFor()
    await path
      .first()
      .getByRole('link', { name: /of the source/ })
      .click()
    await expect.poll(() => page.url(), SOON).toContain(source.id)
    // a read that fails can be asked for again
    inspector().allow(/503/)
    const reads = '**/events?*types=status_changed*'
    await page.route(reads, (route) => route.fulfill({ status: 503, body: '' }))
    await page.goto(`${inspector().url}/${at(source)}`)
    const again = page.getByRole('alert').getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unroute(reads)
    await again.click()
    await expect.poll(() => path.count(), SOON).toBe(7)
    expect(await again.count()).toBe(0)
    await page.getByRole('heading', { name: 'Aborted' }).waitFor()
    await page.getByText('Too dear').first().waitFor()
  })

  it('shows the last 200 of many steps and says so', async () => {
    const session = await inspector().tl.sessions.create({ userId: 'ada' })
    for (let i = 0; i < 105; i++) {
      await session.ask(`Question ${i}`)
      await session.answer(`Answer ${i}`)
    }
    const page = await inspector().open(at(session), { viewport: NARROW })
    await page.getByText('Showing the last 200 steps.').waitFor()
    const path = page.getByRole('list', { name: 'Path taken' }).getByRole('listitem')
    expect(await path.count()).toBe(200)
    await path.nth(2).scrollIntoViewIfNeeded()
    await path.getByText('Answer 104').waitFor()
    expect(await sticksOut(page)).toBe(false)
    // the words of those that nobody has scrolled to are not read
    expect(await path.getByText('Answer 50').count()).toBe(0)
    await path.last().scrollIntoViewIfNeeded()
    await path.getByText('Answer 5', { exact: true }).waitFor()
  })

  it('shows hostile text as text, fits a phone, and is accessible in light and dark', async () => {
    const session = await lived()
    await session.answer(`<img src=x onerror=alert(1)> \u202E${'w'.repeat(5000)}`)
    await session.propose(`${'long '.repeat(100_000)}\u0007`)
    const page = await inspector().open(at(session), { viewport: NARROW })
    const path = page.getByRole('list', { name: 'Path taken' }).getByRole('listitem')
    await path.nth(1).scrollIntoViewIfNeeded()
    await path.getByText('<img src=x onerror=alert(1)> [U+202E]www').waitFor()
    await page.getByText('Show as a table').click()
    expect(await sticksOut(page)).toBe(false)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await axeFindings(page)).toEqual([])
    }
    await page.setViewportSize(WIDE)
    expect(await sticksOut(page)).toBe(false)
  })
})
