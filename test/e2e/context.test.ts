import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/api.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

const inspector = inspectorFor()

const at = (session: Session, query = '') => `#/sessions/${session.id}/context${query}`
const legend = (page: Page, part: string) =>
  page.getByRole('region', { name: 'Tokens by part' }).getByRole('row').filter({ hasText: part }).first()
const sent = (page: Page) => page.getByRole('region', { name: 'What would be sent' })

/** A session that has something of everything: a task, a scratchpad, turns, a call without a result, one that waits. */
async function talked(userId: string, turns = 12): Promise<Session> {
  const session = await inspector().tl.sessions.create({ userId, task: 'Plan the trip' })
  await session.updateState({ budget: 200 })
  await session.append(
    Array.from({ length: turns }, (_, i) => [
      {
        type: 'user_message' as const,
        content: `Question ${i} on the night train: ${'when does it leave? '.repeat(12)}`,
      },
      { type: 'tool_call' as const, content: '', parts: { id: `call-${i}`, name: 'look_up', arguments: { i } } },
      ...(i === turns - 2
        ? []
        : [{ type: 'tool_result' as const, content: `at ${i}:40`, parts: { toolCallId: `call-${i}` } }]),
      { type: 'model_message' as const, content: `**Answer ${i}**: it leaves at ${i}:40.`, agentId: 'planner' },
    ]).flat(),
  )
  return session
}

describe('the context of a session', () => {
  it('shows the tokens of each part and what was left out, and records nothing', async () => {
    const { tl, open } = inspector()
    const session = await talked('ada')
    await session.append({ type: 'tool_call', content: '', parts: { id: 'open-call', name: 'book', arguments: {} } })
    const { id } = await tl.memories.remember({ userId: 'ada', content: 'The night train leaves from platform 7' })
    const { head } = await session.record()

    const page = await open(at(session, '?budget=600&recall=yes'))
    await legend(page, 'Messages').waitFor()
    const answer = await session.context({ maxTokens: 600, recall: true, record: false })
    for (const { section, tokens } of answer.sections) {
      const name = { task: 'Task', scratchpad: 'Scratchpad', memories: 'Recalled', window: 'Messages' }[
        section as string
      ]
      expect(await legend(page, name ?? '?').innerText()).toContain(`\t${tokens}\t`)
    }
    expect(await page.getByRole('row', { name: /^Used/ }).innerText()).toContain(`\t${answer.tokens}\t`)
    const bar = page.getByRole('img', { name: /^600-token budget: Task \d+, Messages \d+, Scratchpad/ })
    expect(await bar.isVisible()).toBe(true)

    const leftOut = page.getByRole('region', { name: 'Left out' })
    expect(await leftOut.getByRole('row', { name: /Messages \d+ old turns left out/ }).innerText()).toMatch(
      /Events 2–\d+/,
    )
    await leftOut.getByText('One call in the last message has no result yet').waitFor()
    await leftOut.getByText('open-call').waitFor()
    await page.getByRole('list', { name: 'Recalled' }).getByRole('link', { name: 'open memory' }).first().waitFor()

    expect(await session.record()).toMatchObject({ head })
    expect(await tl.memories.get(id)).toMatchObject({ useCount: 0 })
  })

  it('follows the budget by slider, input and button, keeps it in the address, and drops overtaken responses', async () => {
    const session = await talked('bob')
    const page = await inspector().open(at(session, '?budget=abc'))
    await page.getByText('8,000-token budget').waitFor()
    const slider = page.getByRole('slider', { name: 'Budget, from 0 to 200,000 tokens' })
    await slider.focus()
    await page.keyboard.press('Home')
    await page.getByText('Nothing would be sent.').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByText('100-token budget').waitFor()
    await page.getByRole('spinbutton', { name: 'Tokens' }).fill('5000000')
    expect(await page.getByRole('spinbutton', { name: 'Tokens' }).inputValue()).toBe('1000000')
    await page.getByRole('spinbutton', { name: 'Tokens' }).fill('700')
    await page.getByText('700-token budget').waitFor()
    expect(page.url()).toContain('budget=700')

    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/context', async (route) => {
      if (route.request().postDataJSON().maxTokens === 1000) await held
      await route.continue().catch(() => {})
    })
    const slow = page.waitForRequest((request) => request.postDataJSON()?.maxTokens === 1000)
    await page.getByRole('button', { name: '1k', exact: true }).click()
    await slow
    await page.getByRole('button', { name: '4k', exact: true }).click()
    await page.getByText('4,000-token budget').waitFor()
    release()
    await page.unrouteAll({ behavior: 'wait' })
    await page.getByText('4,000-token budget').waitFor()
    expect(await page.getByRole('button', { name: '4k', exact: true }).getAttribute('aria-pressed')).toBe('true')
  })

  it('compares budgets one after another, requests each once, and says when a larger one no longer helps', async () => {
    const session = await talked('cora')
    const page = await inspector().open(at(session))
    const asked: { maxTokens: number; record: boolean }[] = []
    await page.getByRole('button', { name: 'Compare budgets' }).waitFor()
    page.on('request', (request) => {
      if (request.url().endsWith('/context')) asked.push(request.postDataJSON())
    })
    await page.getByRole('button', { name: 'Compare budgets' }).click()
    await page
      .getByText(/Everything fits from 4,000 tokens \([\d,]+ used\)\. A larger budget changes nothing/)
      .waitFor()
    expect(asked.map(({ maxTokens }) => maxTokens)).toEqual([1000, 4000, 8000, 32_000, 128_000])
    expect(asked.every(({ record }) => record === false)).toBe(true)
    const chart = page.getByRole('img', { name: /^Tokens used at each budget: 1k: [\d,]+, 4k:/ })
    await chart.getByText('128k').waitFor()
    await page.getByRole('radio', { name: 'share of the budget' }).check()
    await chart.getByText('100%').waitFor()
    await page.getByRole('button', { name: '1k', exact: true }).click()
    await page.getByText('1,000-token budget').waitFor()
    expect(asked).toHaveLength(6)
  })

  it('shows the messages by part, rendered, as plain text, and in the format of a provider', async () => {
    const session = await talked('dan', 2)
    const page = await inspector().open(at(session))
    const items = sent(page).getByRole('listitem')
    const [first, second] = [items.nth(0), items.nth(1)]
    await first.waitFor()
    expect(await first.innerText()).toMatch(/1\s+system\s+Task: Plan the trip\s+Task/)
    expect(await items.last().innerText()).toMatch(/system\s+Scratchpad: \{"budget":200\}\s+Scratchpad/)
    expect(await second.innerText()).toContain('user')
    await second.locator('summary').focus()
    await page.keyboard.press('Enter')
    await second.getByText('Question 0 on the night train').waitFor()
    await page.getByRole('button', { name: 'Expand all' }).click()
    await sent(page).getByText('look_up').first().waitFor()
    await page.getByRole('checkbox', { name: 'Plain text' }).check()
    await sent(page).locator('pre').getByText('**Answer 1**: it leaves at 1:40.').waitFor()
    await sent(page).getByRole('combobox', { name: 'Format' }).selectOption('anthropic')
    await sent(page).getByText('"type": "tool_use"').waitFor()
    await sent(page).getByRole('button', { name: 'Copy the JSON for Anthropic' }).waitFor()
    expect(page.url()).toContain('format=anthropic')
  })

  it('announces new events and refreshes on request, keeping expanded messages open', async () => {
    const session = await talked('eve', 2)
    const page = await inspector().open(at(session))
    const question = sent(page).getByRole('listitem').filter({ hasText: 'Question 1' })
    await question.locator('summary').click()
    await question.locator('details[open]').waitFor()
    await session.append({ type: 'user_message', content: 'And back again?' })
    await page.getByText('1 new event since this preview.').waitFor()
    expect(await sent(page).getByText('And back again?').count()).toBe(0)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await sent(page).getByText('And back again?').waitFor()
    await question.locator('details[open]').waitFor()
    await expect.poll(() => page.getByText('since this preview').count()).toBe(0)
  })

  it('fits a narrow page in light and dark with any text', async () => {
    const { tl, open } = inspector()
    const session = await tl.sessions.create({ userId: 'mallory', task: `<b>${'x'.repeat(500)}</b>\u202e` })
    await session.append([
      { type: 'user_message', content: `<img src=x onerror=alert(1)> ${'long'.repeat(20_000)}` },
      { type: 'tool_call', content: 'odd', parts: { id: 'c'.repeat(300), name: 7, arguments: null } as never },
      { type: 'tool_call', content: 'odder', parts: [1, 2] as never },
      { type: 'model_message', content: 'مرحبا \u0007\u001b[31m' },
    ])
    for (let i = 0; i < 300; i += 150)
      await session.append(
        Array.from({ length: 150 }, (_, k) => ({ type: 'user_message' as const, content: `turn ${i + k}` })),
      )
    const page = await open(at(session, '?budget=128000&recall=yes'), { viewport: NARROW })
    await sent(page)
      .getByText(/Show 200 of 2\d\d hidden messages/)
      .waitFor()
    expect(await sent(page).getByRole('listitem').count()).toBe(101)
    await page.getByRole('button', { name: 'Expand all' }).click()
    await sent(page)
      .getByText(/Show [\d,]+ (?:of [\d,]+ )?more characters/)
      .waitFor()
    await page.getByRole('button', { name: 'Compare budgets' }).click()
    await page.getByText(/(A larger budget changes nothing|Try a larger budget)/).waitFor()
    expect(await sticksOut(page)).toBe(false)
    await sent(page)
      .getByRole('button', { name: /hidden messages/ })
      .click()
    await expect.poll(() => sent(page).getByRole('listitem').count()).toBeGreaterThan(300)
    await page.getByRole('button', { name: 'Collapse all', exact: true }).click()

    const small = await talked('fay', 3)
    for (const colorScheme of ['light', 'dark'] as const) {
      const tab = await open(at(small, '?budget=200&recall=yes'), { colorScheme, viewport: NARROW })
      await tab.getByRole('button', { name: 'Compare budgets' }).click()
      await tab.getByText('A larger budget changes nothing').waitFor()
      await tab.getByRole('button', { name: 'Expand all' }).click()
      expect(await axeFindings(tab)).toEqual([])
    }
  })
})
