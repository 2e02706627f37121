import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Session } from '../../src/api.ts'
import { printFigure } from '../proof.ts'
import { createCodingSession, NEEDLE, SUB_AGENTS } from './coding-session.ts'
import { axeFindings, inspectorFor, longTasks, NARROW, sticksOut, watchLongTasks } from './inspector.ts'

const inspector = inspectorFor({ durability: 'relaxed' })

let session: Session
let children: Session[]
let head: number

beforeAll(async () => {
  const { tl } = inspector()
  const created = await createCodingSession(tl)
  session = created.session
  children = created.children
  head = (await session.record()).head
  const other = await tl.sessions.create({ userId: 'grace', task: 'Another plan', metadata: { team: 'web' } })
  await other.append({ type: 'user_message', content: 'Which seats are next to the aisle?' })
})

const PATIENT = { timeout: 10_000 }
const timeline = (query = '') => `#/sessions/${session.id}/timeline${query}`
const row = (page: Page, sequence: number) => page.getByRole('article', { name: new RegExp(`^Event ${sequence}:`) })
const steps = (page: Page) => page.getByRole('button', { name: /^180 calls/ })
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')

describe('a session of 2,400 events, most of them progress', () => {
  it('shows a turn as its messages, its calls by tool, and what it took', async () => {
    expect(head).toBeGreaterThan(2400)
    const page = await inspector().open(timeline('?event=2'))
    await steps(page).waitFor()
    const text = (await steps(page).innerText()).replaceAll('\n', ' ')
    for (const part of [/Bash 72 ✗9/, /Edit 36/, /9 failed/, /89 messages/, /1,620 custom events/])
      expect(text).toMatch(part)
    const heading = row(page, 2)
    await heading.getByText('180 calls, 9 failed').waitFor()
    await heading.getByText('1.84M in (90% cached) · 36.8K out · $1.84').waitFor()
    // the whole session is on few rows
    expect(await page.getByRole('article').count()).toBeLessThan(30)
    expect(await axeFindings(page)).toEqual([])
  })

  it('opens the calls of a turn and the progress between them, by mouse and keyboard', async () => {
    const page = await inspector().open(timeline('?event=2'))
    await watchLongTasks(page)
    await steps(page).click()
    await page.getByRole('button', { name: /^Bash.*step 0 of turn 1.*ok/ }).waitFor()
    const progress = page.getByRole('button', {
      name: '9 custom events progress 8 · snapshot 1 · 1 result of calls above',
    })
    await progress.first().click()
    await page.getByText('result of the call at').first().waitFor()
    await steps(page).click()
    await expect.poll(() => page.getByRole('article').count(), PATIENT).toBeLessThan(30)

    await row(page, 2).focus()
    for (const key of ['j', 'j', 'j']) await page.keyboard.press(key)
    await expect.poll(() => focused(page), PATIENT).toMatch(/^Events 5 to \d+: calls of the turn$/)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('j')
    await expect.poll(() => focused(page), PATIENT).toBe('Event 5: tool call')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => steps(page).getAttribute('aria-expanded'), PATIENT).toBe('false')
    // every event by itself
    await page.keyboard.press('g')
    await row(page, 7).getByText('progress').waitFor()
    // … without losing the place
    await expect.poll(() => focused(page), PATIENT).toBe('Event 5: tool call')
    await page.keyboard.press('j')
    await expect.poll(() => focused(page), PATIENT).toMatch(/^Event 6:/)
    await page.getByLabel('Group').check()
    await steps(page).waitFor()
    printFigure(
      `opening and closing 180 calls of ${head} events: tasks above 50 ms: ${(await longTasks(page)).join(', ') || 'none'}`,
    )
  })

  it('goes from turn to turn', async () => {
    const page = await inspector().open(timeline())
    await row(page, head).getByText('Step 3 is done.').waitFor()
    const turn = (number: number) =>
      page.getByRole('article').filter({ hasText: `Please do step ${number} of the plan.` })
    await page.getByRole('button', { name: 'Previous turn' }).click()
    await expect.poll(() => turn(3).getAttribute('aria-current'), PATIENT).toBe('true')
    await page.keyboard.press('T')
    await expect.poll(() => turn(2).getAttribute('aria-current'), PATIENT).toBe('true')
    await page.keyboard.press('T')
    await expect.poll(() => turn(1).evaluate((element) => element === document.activeElement), PATIENT).toBe(true)
    await page.keyboard.press('T')
    await page.keyboard.press('t')
    await expect.poll(() => turn(2).getAttribute('aria-current'), PATIENT).toBe('true')
  })

  it('finds text in results, messages and arguments of the whole session', async () => {
    const page = await inspector().open(timeline())
    await row(page, head).getByText('Step 3 is done.').waitFor()
    await watchLongTasks(page)
    await page.keyboard.press('/')
    await page.keyboard.type('ubermaßig SELTENER')
    const search = page.getByRole('search')
    await search.getByText('1 event', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await search.getByText('1 of 1 event').waitFor()
    await search.locator('mark').getByText('Übermäßig seltener').waitFor()
    await page.getByRole('article').getByText(NEEDLE).waitFor()
    // the reader can go on typing
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')

    await search.getByRole('searchbox').fill('src/part-33.ts')
    await search.getByText('1 event', { exact: true }).waitFor()
    await search.getByRole('button', { name: 'Next match' }).click()
    await page.getByRole('button', { name: /step 33 of turn 1/ }).waitFor()

    await search.getByRole('searchbox').fill('is done')
    await search.getByText('3 events').waitFor()
    await page.keyboard.press('Enter')
    await search.getByText('1 of 3 events').waitFor()
    await page.keyboard.press('Shift+Enter')
    await search.getByText(/[23] of 3 events/).waitFor()
    await page.getByRole('article').filter({ hasText: 'Step' }).first().waitFor()
    const marked = () => page.evaluate(() => CSS.highlights.get('found')?.size ?? 0)
    await expect.poll(marked, PATIENT).toBeGreaterThan(0)
    await search.getByRole('searchbox').fill('nowhere at all')
    await search.getByText('No matches').waitFor()
    await expect.poll(marked, PATIENT).toBe(0)
    printFigure(
      `searching ${head} events while typing: tasks above 50 ms: ${(await longTasks(page)).join(', ') || 'none'}`,
    )
    expect(await axeFindings(page)).toEqual([])
  })

  it('finds new events too', async () => {
    const own = await inspector().tl.sessions.create({ userId: 'ada', task: 'What came later' })
    const page = await inspector().open(`#/sessions/${own.id}/timeline?find=aftermath`)
    await page.getByRole('search').getByText('No matches').waitFor()
    await own.append({ type: 'system_event', content: 'The aftermath' })
    await page.getByRole('search').getByText('1 event', { exact: true }).waitFor()
  })

  it('fits a narrow dark screen', async () => {
    const page = await inspector().open(timeline('?event=2&find=part'), { viewport: NARROW, colorScheme: 'dark' })
    await steps(page).click()
    await page.getByText('Keys', { exact: true }).click()
    expect(await axeFindings(page)).toEqual([])
    expect(await sticksOut(page)).toBe(false)
  })
})

describe('sub-agents', () => {
  it('are below their parent in the list, and open on request', async () => {
    const page = await inspector().open()
    const task = (name: string) => page.getByRole('row').filter({ hasText: name })
    await task('Carry out the plan').waitFor()
    const listed = await page.getByRole('row').count()
    await expect.poll(() => task('Carry out the plan').innerText()).toMatch(/2\.28M · \$2\.24/)
    await page.getByRole('button', { name: `${SUB_AGENTS} sub-agents of Carry out the plan` }).click()
    await task('Sub-agent 0').waitFor()
    expect(await page.getByRole('row').count()).toBe(listed + SUB_AGENTS)
    expect(await axeFindings(page)).toEqual([])
    await task('Sub-agent 3').getByRole('link').click()
    await page.getByRole('link', { name: /^Carry out the plan.*event \d+$/ }).click()
    // the call of the parent links back to it
    const call = page.locator('article[aria-current]')
    await call.getByRole('link', { name: 'Sub-agent 3: look at one part' }).waitFor()
  })

  it('lists are filtered by parent and metadata', async () => {
    const page = await inspector().open(`#/?parent=${session.id}`)
    await page.getByText(`${SUB_AGENTS} sessions`).waitFor()
    const metadata = page.getByLabel('Metadata')
    await metadata.fill('part')
    await metadata.press('Enter')
    expect(await metadata.getAttribute('aria-invalid')).toBe('true')
    await metadata.fill('part=7')
    await metadata.press('Enter')
    await page.getByText('1 session', { exact: true }).waitFor()
    await page.getByRole('row').filter({ hasText: 'Sub-agent 7' }).waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await metadata.fill('team=web')
    await metadata.press('Enter')
    await page.getByRole('row').filter({ hasText: 'Another plan' }).waitFor()
  })

  it('are listed in the session with state, tokens and cost, and its totals', async () => {
    const page = await inspector().open(`#/sessions/${session.id}/agents`)
    const table = page.getByRole('region', { name: 'Sub-agents', exact: true }).getByRole('table')
    await table.getByRole('row').filter({ hasText: 'Sub-agent 9' }).waitFor()
    const cells = async (name: string | RegExp) =>
      await table.getByRole('row').filter({ hasText: name }).getByRole('cell').allInnerTexts()
    expect(await cells('Sub-agent 2')).toEqual([
      expect.stringMatching(/^#\d+$/),
      'complete',
      '1',
      '4',
      '20K',
      '400',
      '$0.02',
    ])
    expect((await cells(/^This session/)).slice(-3)).toEqual(['2.24M', '44.8K', '$2.24'])
    expect((await cells('Total with this session')).slice(-3)).toEqual(['2.44M', '48.8K', '$2.44'])
    await page.getByText('2.24M in (90% cached) · 44.8K out · $2.24').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await table.getByRole('link', { name: 'Sub-agent 5' }).click()
    await expect.poll(() => page.url()).toContain(children[5]?.id)
  })
})

describe('messages across sessions', () => {
  it('are found by session, of one user or all, with a link to the event', async () => {
    const { tl } = inspector()
    await tl.index()
    const page = await inspector().open('#/?q=aisle')
    await page.getByRole('button', { name: 'Messages' }).click()
    const found = page.getByRole('region', { name: 'Messages found' })
    await found.getByText('1 message in 1 session, best first').waitFor()
    await found.getByRole('heading', { name: /Another plan/ }).waitFor()
    await page.getByRole('searchbox').fill('plan')
    await found.getByRole('heading', { name: /Carry out the plan/ }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await found.getByLabel('Of user').selectOption('grace')
    await found.getByText('No messages match your search.').waitFor()
    await found.getByLabel('Of user').selectOption('')
    await found
      .getByRole('link', { name: /^event \d+$/ })
      .first()
      .click()
    await expect.poll(() => page.url()).toMatch(/timeline\?event=\d+&find=plan$/)
    await page
      .getByRole('search')
      .getByText(/of \d events/)
      .waitFor()
  })
})
