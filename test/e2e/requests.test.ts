import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/domain/json.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

const inspector = inspectorFor()

const ORDER: JsonObject = {
  type: 'object',
  properties: {
    approved: { type: 'boolean', title: 'Approve the order' },
    amount: { type: 'number', minimum: 1, description: 'In euros' },
    size: { enum: ['small', 'large'] },
    notes: { type: 'array', items: { type: 'string', minLength: 3 } },
    address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    extra: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['approved', 'amount'],
}

async function start() {
  const session = await inspector().tl.sessions.create({ userId: 'ada', task: 'Order paper' })
  await session.request({ id: 'note', kind: 'note', question: 'Anything else?' })
  await session.request({
    id: 'order',
    kind: 'approval',
    question: 'May I **order** it?',
    schema: ORDER,
    toolCallId: 'c1',
  })
  return session
}

const panel = (page: Page) => page.getByRole('region', { name: 'Open requests' })
const said = (page: Page, text: string) => panel(page).getByRole('status').filter({ hasText: text })

describe('the open requests of a session', () => {
  it('have a form made from their schema, which resolves them', async () => {
    const session = await start()
    inspector().allow(/400 \(Bad Request\)/)
    const page = await inspector().open(`#/sessions/${session.id}/state`)
    const form = panel(page)
    await form.getByLabel('Approve the order').selectOption('Yes')
    await form.getByLabel('amount').fill('0')
    await form.getByLabel('size').selectOption('large')
    await form.getByLabel('notes').fill('fast\nno')
    await form.getByLabel('city').fill('Vienna')
    await form.getByLabel('extra').fill('{')
    const send = form.getByRole('button', { name: 'Resolve' }).first()
    const wrong = (label: string) => form.getByLabel(label).and(page.locator('[aria-invalid="true"]')).waitFor()

    await send.click()
    await wrong('extra')
    await form.getByLabel('extra').fill('null')
    await send.click()
    await wrong('amount')
    await form.getByLabel('amount').fill('12.5')
    await send.click()
    await wrong('notes')
    await form.getByLabel('notes').fill('fast')
    await send.click()
    await said(page, 'Resolved.').waitFor()

    const value = {
      approved: true,
      amount: 12.5,
      size: 'large',
      notes: ['fast'],
      address: { city: 'Vienna' },
      extra: null,
    }
    expect((await session.requests({ status: 'resolved' })).items).toMatchObject([{ id: 'order', value }])
    const resolved = page.getByRole('region', { name: 'Resolved requests' })
    await resolved.getByText('May I **order** it?').waitFor()
    await resolved.getByText('"Vienna"').waitFor()
    // the other one takes any JSON
    await form.getByLabel('Value').fill('"no"')
    await form.getByLabel('Value').press('Control+Enter')
    await expect.poll(() => panel(page).locator('details').count()).toBe(0)
    expect((await session.requests({ status: 'open' })).items).toEqual([])
  })

  it('follow the log, and go when somebody else was faster or the session has ended', async () => {
    const session = await inspector().tl.sessions.create({ userId: 'ada', task: 'Order paper' })
    inspector().allow(/409 \(Conflict\)/)
    const page = await inspector().open(`#/sessions/${session.id}/timeline`)
    await page.getByRole('heading', { name: 'Order paper' }).waitFor()
    await session.request({ id: 'a', kind: 'approval', question: 'May I?', schema: { type: 'boolean' } })
    await panel(page).getByText('May I?').last().waitFor()
    await page.route('**/requests/a/resolve', async (route) => {
      await session.resolve('a', false)
      await route.continue()
    })
    await panel(page).getByLabel('Value').selectOption('No')
    await panel(page).getByRole('button', { name: 'Resolve' }).click()
    await said(page, 'Somebody else').waitFor()
    await session.request({ id: 'b', kind: 'approval', question: 'And now?' })
    await panel(page).getByText('And now?').last().waitFor()
    await session.end()
    await panel(page).getByText('The session has ended').waitFor()
  })

  it.each(['light', 'dark'] as const)(
    'fit wide and narrow windows, in %s, without findings of axe',
    async (colorScheme) => {
      const session = await start()
      await session.request({ id: 'x'.repeat(200), kind: 'y'.repeat(200), question: `${'long'.repeat(500)}\u202e <b>` })
      await session.resolve('note', { text: 'word '.repeat(300) })
      for (const viewport of [NARROW, { width: 1280, height: 900 }]) {
        const page = await inspector().open(`#/sessions/${session.id}/state`, { colorScheme, viewport })
        await page.getByRole('region', { name: 'Resolved requests' }).waitFor()
        for (const details of await panel(page).locator('details:not([open]) > summary').all()) await details.click()
        expect(await axeFindings(page)).toEqual([])
        expect(await sticksOut(page)).toBe(false)
      }
    },
  )
})
