import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Session } from '../../src/api.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

const inspector = inspectorFor({ durability: 'relaxed' })
const MANY = 1500

let asking: Session
let oldest: Session

beforeAll(async () => {
  const { tl } = inspector()
  oldest = await tl.sessions.create({ userId: 'zoë', task: 'Reise nach Évora planen', metadata: { ticket: 'CHK-7' } })
  for (let i = 0; i < MANY; i += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, j) => {
        const number = i + j
        const chatmode = number % 2 === 0 ? 'even' : 'odd'
        return tl.sessions.create({ userId: 'ada', chatmode, conversationId: `c-${number}`, task: `Number ${number}` })
      }),
    )
  }
  asking = await tl.sessions.create({
    userId: 'grace',
    conversationId: 'trip',
    agent: 'planner',
    task: 'Plan the trip',
  })
  await asking.append({ type: 'user_message', content: 'Vienna, please' })
  await asking.ask('By train\nor by bus?')
})

const rowOf = (page: Page, task: string | RegExp): Locator => page.getByRole('row').filter({ hasText: task })
const firstRow = (page: Page) => page.getByRole('row').nth(1)
const isFirst = (page: Page, task: string) => firstRow(page).filter({ hasText: task }).waitFor()

describe('the list of sessions', () => {
  it('shows task, status and open question of each session; a row opens it', async () => {
    const page = await inspector().open()
    const row = rowOf(page, 'Plan the trip')
    await row.waitFor()
    const texts = await row.getByRole('cell').allInnerTexts()
    expect(texts.slice(0, 1)).toEqual(['awaiting user'])
    expect(texts[1]).toMatch(/^Plan the trip\s+asked \d+ s ago: By train or by bus\?$/)
    expect(texts.slice(2, 7)).toEqual(['planner', 'grace', 'default', '1', '5'])
    expect(texts[7]).toMatch(/^\d+ s ago$/)
    // anywhere in the row
    await row.getByRole('cell', { name: 'grace' }).click({ force: true })
    await expect.poll(() => page.url()).toContain(asking.id)
    await page.goBack()
    await firstRow(page).waitFor()
    expect(await axeFindings(page)).toEqual([])
  })

  it('draws the visible ones of thousands, loads more while scrolling, and keeps its place', async () => {
    const page = await inspector().open()
    await firstRow(page).waitFor()
    const drawn = await page.getByRole('row').count()
    expect(drawn).toBeLessThan(60)
    await firstRow(page).getByRole('link').focus()
    await expect
      .poll(
        async () => {
          await page.keyboard.press('End')
          return await rowOf(page, 'Reise nach').count()
        },
        { interval: 100, timeout: 15_000 },
      )
      .toBe(1)
    await page.getByText(`${(MANY + 2).toLocaleString('en')} sessions`, { exact: true }).waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(80)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain(oldest.id)
    await rowOf(page, 'Reise nach').waitFor({ state: 'detached' })
    await page.goBack()
    await rowOf(page, 'Reise nach').waitFor()
    await page.getByText(`${(MANY + 2).toLocaleString('en')} sessions`, { exact: true }).waitFor()
    await oldest.updateState({ seats: 2 })
    await page.getByRole('button', { name: 'Show 1 changed' }).click()
    await isFirst(page, 'Reise nach')
  })

  it('filters by the address, and clears filters', async () => {
    const page = await inspector().open('#/?chatmode=even&status=running')
    await page.getByText('newest').waitFor()
    expect(await page.getByLabel('Status').inputValue()).toBe('running')
    expect(await page.getByLabel('Chatmode').inputValue()).toBe('even')
    await expect.poll(() => rowOf(page, /Number \d+/).count()).toBeGreaterThan(5)
    const numbers = await page.getByRole('link', { name: /^Number/ }).allInnerTexts()
    expect(numbers.every((text) => Number(text.slice(7)) % 2 === 0)).toBe(true)

    await page.getByLabel('Conversation').fill('c-4')
    await page.keyboard.press('Enter')
    await page.getByText('1 session', { exact: true }).waitFor()
    expect(page.url()).toContain('conversation=c-4')
    await page.getByLabel('Status').selectOption('aborted')
    await page.getByText('No sessions match these filters.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await rowOf(page, 'Plan the trip').waitFor()
    expect(new URL(page.url()).hash).toBe('#/')
  })

  it('searches through further pages, ignores case and accents, and shows the progress', async () => {
    const page = await inspector().open()
    await firstRow(page).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('EVORA zoe')
    await rowOf(page, 'Reise nach Évora').waitFor()
    await page.getByText(`1 session found, searched all ${(MANY + 2).toLocaleString('en')}`).waitFor()
    expect(page.url()).toContain('q=EVORA+zoe')
    await page.getByLabel('Search').fill('chk-7 nowhere')
    await page.getByText('No sessions match your search.').waitFor()
    await page.getByLabel('Search').fill(` ${asking.id.toUpperCase()}`)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain(`#/sessions/${asking.id}/timeline`)
  })

  it('moves changed sessions to the top, but not while somebody has scrolled down', async () => {
    const { open, tl } = inspector()
    const page = await open()
    await rowOf(page, 'Plan the trip').waitFor()
    const fresh = await tl.sessions.create({ userId: 'ada', conversationId: 'fresh', task: 'Fresh from an agent' })
    await isFirst(page, 'Fresh from an agent')

    await firstRow(page).getByRole('link').focus()
    await page.keyboard.press('ArrowDown')
    await asking.answer('By train')
    await rowOf(page, 'Plan the trip').getByText('running').waitFor()
    expect(await firstRow(page).innerText()).toContain('Fresh from an agent')
    await page.getByRole('button', { name: 'Show 1 changed' }).click()
    await isFirst(page, 'Plan the trip')

    await fresh.end()
    await rowOf(page, 'Fresh from an agent').getByText('complete').waitFor()
    await tl.sessions.purge(fresh.id)
    await page.getByLabel('Search').focus()
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await rowOf(page, 'Fresh from an agent').waitFor({ state: 'detached' })
  })

  it('shows a lost connection, and recovers', async () => {
    const { open, allow } = inspector()
    allow(/ERR_FAILED/)
    const page = await open()
    await rowOf(page, 'Plan the trip').waitFor()
    await page.route('**/v1/sessions?*', (route) => route.abort())
    await page.getByText('connection lost, retrying').waitFor()
    await page.unroute('**/v1/sessions?*')
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByText('live', { exact: true }).waitFor()
  })

  it('fits a narrow dark window with hostile texts', async () => {
    const { open, tl } = inspector()
    const hostile = `\u202e\u0007<img src=x onerror=alert(1)>${'W'.repeat(5000)}`
    const named = hostile.slice(0, 400)
    const session = await tl.sessions.create({
      userId: named,
      chatmode: named,
      conversationId: named,
      task: hostile,
    })
    await session.ask(`מה שלומך ${hostile}`)
    const page = await open('', { viewport: NARROW, colorScheme: 'dark' })
    await rowOf(page, '[U+202E]').waitFor()
    expect(await sticksOut(page)).toBe(false)
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Status').selectOption('awaiting_user')
    await page.getByRole('button', { name: 'Filters (1)' }).waitFor()
    expect(await sticksOut(page)).toBe(false)
    await session.end()
  })
})
