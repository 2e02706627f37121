import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { operatorToken, SECRET, tokenOf } from '../servers/http.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

const inspector = inspectorFor()

const memories = (page: Page) => page.getByRole('list', { name: 'Memories', exact: true }).getByRole('listitem')
const details = (page: Page) => page.getByRole('region', { name: 'Memory details' })

/** A session whose user said what she prefers, and what became of it. */
async function remembered(userId: string) {
  const { tl } = inspector()
  const session = await tl.sessions.create({ userId, task: 'Plan the trip' })
  const [, said] = await session.append([
    { type: 'user_message', content: 'When does the night train to Vienna leave?' },
    { type: 'user_message', content: 'I prefer the window seat.' },
    { type: 'model_message', content: 'It leaves at 21:40 from platform 7.' },
  ])
  const from = said?.sequence ?? 0
  const source = { sessionId: session.id, from, to: from }
  const first = await tl.memories.remember({
    userId,
    content: 'Prefers the window seat',
    category: 'preferences',
    source,
  })
  await tl.memories.corroborate(first.id, { source: 'booking form', note: 'chosen again' })
  return { tl, session, from, first }
}

describe('the memories of a user', () => {
  it('are found while typing and filtered, keep the search in the address, and do not count as used', async () => {
    const { tl, first } = await remembered('ada')
    await tl.memories.remember({
      userId: 'ada',
      content: 'Always answer in French',
      category: 'rules',
      confidence: 0.3,
    })
    await tl.memories.remember({ userId: 'ada', content: 'Old news on trains', expiresAt: '2020-01-01T00:00:00Z' })
    const page = await inspector().open('#/connect')
    const reads: string[] = []
    page.on('request', (request) => void (request.url().includes('/memories?') && reads.push(request.url())))
    await page.goto(`${inspector().url}/#/memory?user=ada`)
    await expect.poll(() => memories(page).count()).toBe(3)
    await page.getByText('3 memories, newest first').waitFor()
    expect(reads).toHaveLength(1)
    expect(await memories(page).filter({ hasText: 'Old news' }).innerText()).toContain('expired')
    expect(await memories(page).filter({ hasText: 'window seat' }).innerText()).toMatch(
      /0\.85[\s\S]*preferences[\s\S]*never used/,
    )
    expect(await sticksOut(page)).toBe(false)
    await page.getByRole('checkbox', { name: 'Include superseded and expired' }).uncheck()
    await page.getByText('2 of 3 memories, newest first').waitFor()
    await page.getByRole('combobox', { name: 'Confidence' }).selectOption('0.8')
    await expect.poll(() => memories(page).count()).toBe(1)
    await page.getByRole('combobox', { name: 'Confidence' }).selectOption('')
    await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('which seat')
    await page.getByText('1 found, best first').waitFor()
    expect(page.url()).toContain('q=which+seat')
    await page.getByRole('combobox', { name: 'Category' }).selectOption('rules')
    await page.getByText('No matching memories.').waitFor()
    expect(await tl.memories.get(first.id)).toMatchObject({ useCount: 0 })
  })

  it('link to the event they come from, and show their confidence over time', async () => {
    const { tl, session, from, first } = await remembered('bea')
    await tl.memories.contradict(first.id, { note: 'she asked for the aisle', content: 'Prefers the aisle seat' })
    const page = await inspector().open('#/memory?user=bea')
    await memories(page).getByRole('link', { name: 'Prefers the window seat' }).press('Enter')
    await details(page).getByText('Origin').waitFor()
    await expect
      .poll(() =>
        details(page)
          .getByRole('heading', { name: 'Memory' })
          .evaluate((it) => it === document.activeElement),
      )
      .toBe(true)
    expect(page.url()).toContain(`memory=${first.id}`)
    const link = details(page)
      .getByRole('link', { name: `event ${from}`, exact: true })
      .first()
    expect(await link.getAttribute('href')).toBe(`#/sessions/${session.id}/timeline?event=${from}`)
    await details(page)
      .getByRole('button', { name: `Show event ${from}` })
      .click()
    await details(page).locator('pre').getByText('I prefer the window seat.').waitFor()
    await details(page).getByText('external source: booking form').waitFor()
    await details(page).getByText('Confidence from 0.80 to 0.43 over 4 changes.').first().waitFor()
    await details(page)
      .getByRole('img', { name: /^Confidence from 0\.80/ })
      .waitFor()
    await details(page).getByText('she asked for the aisle').waitFor()
    await details(page).getByRole('link', { name: 'another memory' }).first().click()
    await details(page).getByText('Replaces').getByRole('link', { name: 'Prefers the window seat' }).waitFor()
    await details(page).getByRole('button', { name: 'Close' }).press('Enter')
    await expect.poll(() => details(page).count()).toBe(0)
    expect(
      await memories(page)
        .getByRole('link', { name: 'Prefers the aisle seat' })
        .evaluate((it) => it === document.activeElement),
    ).toBe(true)
  })

  it('say when a session was purged or a memory forgotten', async () => {
    const { tl, session, from, first } = await remembered('cleo')
    const { open, allow } = inspector()
    allow(/404/)
    const page = await open(`#/memory?user=cleo&memory=${first.id}`)
    const show = details(page).getByRole('button', { name: `Show event ${from}` })
    await show.waitFor()
    await tl.sessions.purge(session.id)
    await show.click()
    await details(page).getByText('Session not found: it was purged').waitFor()
    await tl.memories.forget(first.id)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await details(page).getByText('Memory not found').waitFor()
    await page.getByText('No memories of cleo.').waitFor()
  })

  it('are loaded page by page', async () => {
    const { tl, open } = inspector()
    const id = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
    const many = Array.from({ length: 250 }, (_, i) => ({ userId: 'many', content: `Number ${i}`, id: id(i) }))
    await tl.memories.remember(many)
    const page = await open('#/memory?user=many')
    await page.getByText('the oldest 100 memories, newest first').waitFor()
    await page.getByRole('button', { name: 'Load newer' }).click()
    await page.getByText('the oldest 200 memories').waitFor()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('button', { name: 'Load newer' }).click()
    await page.getByText('250 memories, newest first').waitFor()
    expect(await memories(page).count()).toBe(250)
  })

  it('are reloaded automatically, and on request after an error', async () => {
    const { tl, open, allow } = inspector()
    allow(/ERR_FAILED/)
    await tl.memories.remember({ userId: 'few', content: 'One' })
    const page = await open('#/memory?user=nobody')
    await page.getByText('No memories of nobody.').waitFor()
    await page.clock.install()
    await page.route('**/memories?*', (route) => route.abort())
    await page.goto(`${inspector().url}/#/memory?user=few`)
    await page.getByRole('alert').waitFor()
    expect(await page.getByText('memories, newest first').count()).toBe(0)
    await page.unroute('**/memories?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('1 memory, newest first').waitFor()
    await tl.memories.remember({ userId: 'few', content: 'Two' })
    await page.clock.runFor(30_000)
    await page.getByText('2 memories, newest first').waitFor()
  })

  it('are found by a search over everything, with links to the source', async () => {
    const { session } = await remembered('dora')
    await inspector().tl.sessions.create({ userId: 'dan' })
    const page = await inspector().open('#/memory?user=dora')
    await page.getByRole('radio', { name: 'everything' }).check()
    await page.getByText('What are you looking for?').waitFor()
    await page.getByRole('searchbox', { name: 'Search everything' }).fill('Vienna train platform')
    const found = page.getByRole('list', { name: 'Found' }).getByRole('listitem')
    const hit = found.filter({ hasText: 'from platform 7' })
    await hit.waitFor()
    expect(await hit.getByRole('link').getAttribute('href')).toMatch(`#/sessions/${session.id}/timeline?event=`)
    await page.getByRole('searchbox').fill('window seat')
    await found.getByRole('link', { name: 'open memory' }).click()
    await details(page).getByText('Prefers the window seat').waitFor()

    await page.route('**/recall', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), pending: 3 } })
    })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('The index is behind: 3 sessions are not fully indexed yet').waitFor()

    await page.goto(`${inspector().url}/#/memory`)
    await page.getByText('Choose a user').waitFor()
    await page.getByRole('link', { name: 'dora', exact: true }).click()
    await memories(page).first().waitFor()
  })

  it('appear in the session they come from, before the others, as they arrive', async () => {
    const { tl, session, from } = await remembered('faye')
    await tl.memories.remember({ userId: 'faye', content: 'Lives in Graz' })
    const page = await inspector().open(`#/sessions/${session.id}/memory`)
    const own = page.getByRole('list', { name: 'Memories from this session' }).getByRole('listitem')
    await own.first().waitFor()
    expect(await own.count()).toBe(1)
    await expect.poll(() => memories(page).count()).toBe(2)
    await page.getByRole('searchbox', { name: 'Search' }).fill('Graz')
    await page.getByText('1 found, best first').waitFor()
    const source = { sessionId: session.id, from, to: from }
    await tl.memories.remember({ userId: 'faye', content: 'Travels at night', source })
    await session.append({ type: 'user_message', content: 'Thanks' })
    await own.filter({ hasText: 'Travels at night' }).waitFor()
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('Graz')
    await own.getByRole('link', { name: 'Travels at night' }).click()
    await details(page).getByText('Origin').waitFor()
  })

  it('fit a narrow page in light and dark with any text', async () => {
    const { tl, session, first } = await remembered('gwen')
    await tl.memories.remember({
      userId: 'gwen',
      content: `<script>alert(1)</script> ${'w'.repeat(8000)}\u202e\u0007`,
      scope: 's'.repeat(500),
      source: { source: 'o'.repeat(500) },
      metadata: { ['k'.repeat(300)]: 'v'.repeat(3000) },
    })
    await tl.memories.remember({ userId: 'gwen', content: `A little longer ${'x'.repeat(4100)}` })
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await inspector().open(`#/memory?user=gwen&memory=${first.id}`, { colorScheme, viewport: NARROW })
      await details(page)
        .getByRole('button', { name: /^Show event/ })
        .click()
      await details(page).locator('pre').getByText('I prefer the window seat.').waitFor()
      await memories(page).first().waitFor()
      const top = async (it: Locator) => (await it.boundingBox())?.y ?? Number.NaN
      expect(await top(details(page))).toBeLessThan(await top(memories(page).first()))
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('link', { name: '<script>alert(1)</script>' }).click()
      await details(page)
        .getByText(/Show 4,028 more characters/)
        .waitFor()
      await page.getByRole('link', { name: 'A little longer' }).click()
      await details(page)
        .locator('pre')
        .getByText(/x{4100}/)
        .waitFor()
      expect(await sticksOut(page)).toBe(false)
    }
    const tab = await inspector().open(`#/sessions/${session.id}/memory?memory=${first.id}`, { viewport: NARROW })
    await details(tab).getByText('Origin').waitFor()
    await memories(tab).first().waitFor()
    expect(await sticksOut(tab)).toBe(false)
    expect(await axeFindings(tab)).toEqual([])
  })
})

describe('with a token', () => {
  const keyed = inspectorFor({ jwt: { secret: SECRET } })

  it('only the memories of its own user are shown', async () => {
    const { tl, open, allow } = keyed()
    allow(/400/)
    for (const userId of ['hana', 'ida']) {
      await tl.sessions.create({ tenant: 'acme', userId })
      await tl.memories.remember({ tenant: 'acme', userId, content: `Is called ${userId}` })
    }
    const page = await open('#/memory', { token: await tokenOf({ tenant: 'acme', sub: 'hana' }) })
    await memories(page).getByText('Is called hana').waitFor()
    expect(await page.getByRole('combobox', { name: 'Tenant' }).count()).toBe(0)
    expect(await page.getByRole('combobox', { name: 'User' }).count()).toBe(0)
    await page.goto(`${keyed().url}/#/memory?user=ida`)
    await page.getByRole('alert').getByText('must be your own').waitFor()
    expect(await memories(page).count()).toBe(0)

    const all = await open('#/memory', { token: await operatorToken() })
    await all.getByText('No sessions in tenant local.').waitFor()
    await all.getByRole('textbox', { name: 'Tenant' }).fill('acme')
    await all.getByRole('link', { name: 'ida', exact: true }).click()
    await memories(all).getByText('Is called ida').waitFor()
  })
})
