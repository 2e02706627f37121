import { readdirSync, statSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { EventInput, Throughline } from '../../src/api.ts'
import { amount, printFigure } from '../proof.ts'
import { inspectorFor, watchLongTasks } from './inspector.ts'

const inspector = inspectorFor({ durability: 'relaxed' })

const EVENTS = amount(3000, 100_000)
const SESSIONS = amount(1000, 10_000)
/** Turns of the wheel, 400 pixels each. */
const TURNS = amount(20, 200)
const BATCH = 500

/** What an agent's log looks like: a question, a call with its result, an answer with some Markdown. */
function eventAt(n: number): EventInput {
  switch (n % 4) {
    case 0:
      return { type: 'user_message', content: `Question ${n}: what **about** the seats?` }
    case 1:
      return { type: 'tool_call', content: '', parts: { id: `c${n}`, name: 'grep', arguments: { text: `seat ${n}` } } }
    case 2:
      return { type: 'tool_result', content: 'src/seats.ts:12\n'.repeat(10), parts: { toolCallId: `c${n - 1}` } }
    default:
      return { type: 'model_message', agentId: 'coach', content: `There are *two*:\n\n- one\n- two\n\n\`seat(${n})\`` }
  }
}

async function longSession(tl: Throughline): Promise<string> {
  const session = await tl.sessions.create({ userId: 'ada', task: 'A long one' })
  for (let n = 0; n < EVENTS - 1; n += BATCH) {
    const count = Math.min(BATCH, EVENTS - 1 - n)
    await session.append(Array.from({ length: count }, (_, i) => eventAt(n + i)))
  }
  return session.id
}

async function manySessions(tl: Throughline): Promise<void> {
  for (let n = 0; n < SESSIONS; n += 100) {
    const create = (_: unknown, i: number) =>
      tl.sessions.create({ userId: `user-${i % 7}`, conversationId: `c-${n + i}`, task: `Task ${n + i}` })
    await Promise.all(Array.from({ length: 100 }, create))
  }
}

/** Turns the wheel over a list and gives the gaps between the frames that were drawn meanwhile, in milliseconds. */
async function wheel(
  page: Page,
  list: string,
  turns: number,
  pixels: number,
): Promise<{ gaps: number[]; long: number[] }> {
  await watchLongTasks(page)
  const box = await page.locator(list).boundingBox()
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200)
  await page.evaluate(() => {
    const frames: number[] = []
    Object.assign(window, { frames })
    const frame = (at: number) => {
      frames.push(at)
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })
  for (let i = 0; i < turns; i++) await page.mouse.wheel(0, pixels)
  return await page.evaluate(() => {
    const { frames, seen } = window as unknown as { frames: number[]; seen: { long: number[] } }
    return { gaps: frames.slice(1).map((at, i) => at - (frames[i] ?? at)), long: seen.long }
  })
}

const quantile = (values: readonly number[], share: number) =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0)

const scrolled = ({ gaps, long }: { gaps: number[]; long: number[] }) =>
  `frames p50 ${quantile(gaps, 0.5)} ms, p99 ${quantile(gaps, 0.99)} ms, longest ${quantile(gaps, 1 - 1e-9)} ms; long tasks ${long.length}, the longest ${Math.max(0, ...long)} ms`

describe('however much there is', () => {
  it('a session shows its end and any event, scrolls, and draws only visible rows', async () => {
    const { tl, open } = inspector()
    const id = await longSession(tl)
    const page = await open('#/connect')
    const requests: string[] = []
    page.on('request', (request) => void requests.push(request.url()))
    const event = (sequence: number) => page.locator(`article[aria-posinset="${sequence}"]`).getByRole('link').first()

    let from = performance.now()
    await page.goto(`${inspector().url}/?fresh#/sessions/${id}/timeline`)
    await event(EVENTS).waitFor()
    printFigure(
      `a session of ${EVENTS} events: first view after ${Math.round(performance.now() - from)} ms, ${requests.length} requests`,
    )

    const down = await wheel(page, '[role="feed"]', TURNS, -400)
    printFigure(`scrolling back ${TURNS} × 400 px: ${scrolled(down)}`)
    from = performance.now()
    const middle = Math.floor(EVENTS / 2)
    await page.goto(`${inspector().url}/?fresh#/sessions/${id}/timeline?event=${middle}`)
    await event(middle).waitFor()
    printFigure(`a link to event ${middle}: ${Math.round(performance.now() - from)} ms`)

    expect(await page.getByRole('article').count()).toBeLessThan(80)
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(4000)
    // not the log, but what was looked at
    const asked = requests.filter((url) => url.includes('/events?')).length
    expect(asked).toBeLessThan(20 + (TURNS * 400) / 2000)
  })

  it('the list shows the last sessions, scrolls, and draws only visible rows', async () => {
    const { tl, open } = inspector()
    await manySessions(tl)
    const page = await open('#/connect')
    const from = performance.now()
    await page.goto(`${inspector().url}/?fresh#/`)
    await page.getByRole('row').nth(5).waitFor()
    printFigure(`${SESSIONS} sessions: first view after ${Math.round(performance.now() - from)} ms`)
    printFigure(
      `scrolling ${TURNS} × 400 px: ${scrolled(await wheel(page, 'main [role="rowgroup"], main table', TURNS, 400))}`,
    )
    expect(await page.getByRole('row').count()).toBeLessThan(100)
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(4000)
  })

  it('the page itself is small', () => {
    const folder = new URL('../../dist/inspector/assets/', import.meta.url)
    const sizes = new Map(readdirSync(folder).map((name) => [name, statSync(new URL(name, folder)).size]))
    const sum = (pattern: RegExp) =>
      [...sizes].filter(([name]) => pattern.test(name)).reduce((total, [, size]) => total + size, 0)
    const kB = (bytes: number) => Math.round(bytes / 1000)
    const all = { plain: sum(/\.(js|css|svg)$/), br: sum(/\.br$/) }
    const first = { plain: sum(/^(index|route)-.*\.(js|css)$/), br: sum(/^(index|route)-.*\.br$/) }
    printFigure(
      `the page: ${kB(first.plain)} kB at first (${kB(first.br)} kB compressed), ${kB(all.plain)} kB in all (${kB(all.br)} kB compressed)`,
    )
    expect(all.br).toBeLessThan(250_000)
    expect(first.br).toBeLessThan(100_000)
  })
})
