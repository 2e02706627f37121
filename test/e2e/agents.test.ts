import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/api.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

const DAY = 86_400_000
let now = Date.parse('2026-03-01T09:00:00Z')
const clock = { now: () => now }
const alike = ['reader', 'writer'].map((end) => `acme/department-of-engineering/team-of-platforms/agent-${end}`)
const agents = ['planner', 'builder', 'reviewer', ...alike, ...Array.from({ length: 200 }, (_, i) => `helper ${i}`)]

/** A machine with much to do may take longer than the second that is the default. */
const SOON = { timeout: 15_000 }

const inspector = inspectorFor({ agents, clock })

/**
 * Eleven events: planner hands over in 4, builder takes it in 5; builder hands over in 7 and 9, and nobody takes it.
 */
async function seed(): Promise<Session> {
  const session = await inspector().tl.sessions.create({ userId: 'ada', task: 'Build the cache' })
  const step = async (work: () => Promise<unknown>, ms = 1000) => {
    now += ms
    await work()
  }
  await step(() => session.append({ type: 'user_message', content: 'Build it.' }))
  await step(() => session.append({ type: 'model_message', content: 'I plan it.' }))
  const context = { artifacts_created: ['plan.md'], key_decisions: ['no Redis', 'write through'] }
  await step(() => session.handoff({ to: 'builder', reason: 'The plan stands', context }))
  await step(() => session.takeHandoff())
  await step(() => session.append({ type: 'model_message', content: 'I build it.', agentId: 'builder' }))
  await step(() => session.handoff({ to: 'reviewer', reason: 'It is built' }), 3 * DAY)
  await step(() => session.append({ type: 'user_message', content: 'Is it good?' }))
  await step(() => session.handoff({ to: 'planner', reason: 'It is not good' }))
  await step(() => session.setActiveAgent('builder'))
  await step(() =>
    session.append({ type: 'tool_call', content: 'run', parts: 'no documented shape', agentId: 'an outsider' }),
  )
  return session
}

const agentsOf = ({ id }: Session, query = '') => `#/sessions/${id}/agents${query}`

describe('the lanes of the agents', () => {
  it('show when each agent was active and acted, and the reasons of handoffs', async () => {
    const session = await seed()
    const page = await inspector().open(agentsOf(session))
    const lanes = page.getByRole('region', { name: 'Agent lanes' })
    await expect
      .poll(() => lanes.getByRole('listitem').allTextContents(), SOON)
      .toEqual(['user', 'planner', 'builder', 'reviewer', 'an outsider'])
    const said = await page.getByRole('img', { name: 'user: 2 events' }).getAttribute('aria-label')
    expect(said).toContain('planner: 2 events, active for 36 % of the session; builder: 3 events')
    expect(said).toContain('4 switches, listed below')

    const rows = page.getByRole('region', { name: 'Totals', exact: true }).getByRole('row')
    expect(await rows.allTextContents()).toEqual([
      'agenteventsturnsactive',
      'user2',
      'planner2236 %',
      'builderactive3245 %',
      'reviewer1118 %',
      'an outsider100 %',
    ])

    const list = page.getByRole('region', { name: 'Handoffs' }).getByRole('listitem')
    const texts = await list.allTextContents()
    expect(texts.map((text) => text.replace(/, .*? [AP]M/, ''))).toEqual([
      'planner to  → builderswitchevent #10',
      'reviewer to  → plannerhandoffevent #9It is not goodNot taken yetContext',
      'builder to  → reviewerhandoffevent #7It is builtNot taken: replaced in event #9Context',
      'planner to  → builderhandoffevent #4The plan standsTaken in event #5Context: 1 artifact, 2 decisions',
    ])
    const first = list.nth(3)
    expect(await first.getByRole('link', { name: 'event #5' }).getAttribute('href')).toBe(
      `#/sessions/${session.id}/timeline?event=5`,
    )
    await first.getByText('Context: 1 artifact, 2 decisions').press('Enter')
    await first.getByText('write through').waitFor()
  })

  it('highlight a selected handoff in the list and in the lanes, by order and by time', async () => {
    const session = await seed()
    const page = await inspector().open(agentsOf(session, '?by=time'))
    const inLanes = page.getByRole('button', { name: 'handoff in event 4, from planner to builder: The plan stands' })
    const inList = page.getByRole('button', { name: 'planner to builder', exact: true }).last()
    await inLanes.click()
    await expect.poll(() => inList.getAttribute('aria-pressed'), SOON).toBe('true')
    await expect.poll(() => page.url(), SOON).toContain('handoff=4')
    await inList.press('Enter')
    await expect.poll(() => inLanes.getAttribute('aria-pressed'), SOON).toBe('false')
    await inList.press('Enter')
    await expect.poll(() => inLanes.getAttribute('aria-pressed'), SOON).toBe('true')
    // three days without an event are drawn short, and named
    await page.getByTitle('3 d without events').waitFor()
    const across = page.getByRole('combobox', { name: 'Axis' })
    const x = async () => (await inLanes.boundingBox())?.x ?? 0
    const byTime = await x()
    await across.selectOption('Event order')
    await expect.poll(x, SOON).not.toBe(byTime)
    expect(page.url()).not.toContain('by=')
    expect(await inLanes.getAttribute('aria-pressed')).toBe('true')
  })

  it('grow as events arrive, and keep the selection', async () => {
    const session = await seed()
    const page = await inspector().open(agentsOf(session, '?handoff=7'))
    const chosen = page.getByRole('button', { name: /^handoff in event 7/ })
    await expect.poll(() => chosen.getAttribute('aria-pressed'), SOON).toBe('true')
    await page.getByRole('status').getByText('live').waitFor()
    await session.handoff({ to: 'helper 7', reason: 'Somebody new' })
    await session.append({ type: 'model_message', content: 'Hello.' })
    await page.getByRole('button', { name: /^handoff in event 12, from builder to helper 7/ }).waitFor()
    await expect
      .poll(() => page.getByRole('row', { name: /^helper 7/ }).allTextContents(), SOON)
      .toEqual(['helper 7active1115 %'])
    expect(await chosen.getAttribute('aria-pressed')).toBe('true')
  })

  it('are bounded and scroll in their own box with many agents and events', async () => {
    const { tl, open } = inspector()
    const session = await tl.sessions.create({ userId: 'ada' })
    for (let i = 0; i < 170; i++)
      await session.recordTransition({ to: `helper ${i}`, reason: `\u202e${'why'.repeat(300)}` })
    for (let i = 0; i < 5; i++) {
      const content = `${i} ${'w'.repeat(500)}`
      await session.append(
        Array.from({ length: 450 }, () => ({ type: 'model_message', content, agentId: 'x'.repeat(500) })),
      )
    }
    const page = await open(agentsOf(session), { viewport: NARROW })
    await page.getByText('Ticks and totals cover the last 2,000 events. 23 more agents are not shown.').waitFor()
    expect(await sticksOut(page)).toBe(false)
    const box = page.getByRole('region', { name: 'Agent lanes' })
    const name = box.getByText('user', { exact: true })
    const left = async () => (await name.boundingBox())?.x
    const before = await left()
    await box.focus()
    await box.press('ArrowRight')
    await box.press('ArrowRight')
    await expect.poll(() => box.evaluate((element) => element.scrollLeft), SOON).toBeGreaterThan(0)
    expect(await left()).toBe(before)
    await page.getByRole('button', { name: 'Show 100 of 120 more' }).click()
    await page.getByRole('button', { name: 'Show 20 more' }).waitFor()
    await page.getByRole('combobox', { name: 'Range' }).selectOption('last')
    await page.getByText('#1,', { exact: false }).first().waitFor()
    expect(await sticksOut(page)).toBe(false)
  })

  it('say so if one agent has done everything, and pass axe', async () => {
    const lonely = await inspector().tl.sessions.create({ userId: 'ada' })
    const page = await inspector().open(agentsOf(lonely))
    await page.getByText('One agent has done everything so far.').waitFor()
    // a handoff that can no longer be taken says why, and names that begin alike are told apart
    await page.getByRole('status').getByText('live').waitFor()
    for (const to of alike) await lonely.handoff({ to, reason: 'Go on' })
    await page.getByText('Not taken yet').waitFor()
    await page.setViewportSize(NARROW)
    const names = page.getByRole('region', { name: 'Agent lanes' }).getByRole('listitem')
    for (const [i, end] of ['ent-reader', 'ent-writer'].entries()) {
      const lane = await names.nth(2 + i).boundingBox()
      const seen = await names
        .nth(2 + i)
        .getByText(end, { exact: true })
        .boundingBox()
      expect(seen && lane && seen.x + seen.width <= lane.x + lane.width).toBe(true)
    }
    await lonely.replaceState({})
    await page.getByText('Not taken: removed in event #4').waitFor()
    await lonely.handoff({ to: 'planner', reason: 'Go on' })
    await lonely.abort('Enough')
    await page.getByText('Never taken').waitFor()
    const session = await seed()
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = colorScheme === 'light' ? NARROW : undefined
      const shown = await inspector().open(agentsOf(session, '?handoff=4&by=time'), {
        colorScheme,
        ...(viewport && { viewport }),
      })
      await shown.getByText('Context: 1 artifact').click()
      await shown.getByText('write through').waitFor()
      expect(await axeFindings(shown)).toEqual([])
      expect(await sticksOut(shown)).toBe(false)
    }
  })
})
