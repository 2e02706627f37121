import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { EventInput, Session } from '../../src/api.ts'
import type { Json } from '../../src/domain/json.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

const inspector = inspectorFor()

const TABS = ['timeline', 'state', 'time', 'agents', 'work', 'context', 'memory']

/** Hostile texts. If one took effect, it would set `window.ran`, call another server, or break the page. */
const HOSTILE = [
  '<script>window.ran = true</script>',
  '</script></style></textarea></title><img src=x onerror="window.ran=true">',
  '"><svg onload=window.ran=true><iframe src="https://example.org/frame"></iframe>',
  '<style>*{display:none!important;background:url(https://example.org/css)}</style>',
  '[click](javascript:window.ran=true) ![pixel](https://example.org/pixel.png) <a href="javascript:window.ran=true">a</a>',
  '[click](data:text/html,<script>window.ran=true</script>) [x]: javascript:window.ran=true',
  '{{constructor.constructor("window.ran=true")()}} #{7*7}',
  'safe\u202egnp.exe \u2066\u200b\u200d\u00ad\ufeff \u0007\u001b[31m\u0085 \u061c\u2028\u2029',
  `\u0645\u0631\u062d\u0628\u0627 ${'\u0301'.repeat(500)} \ud83d\ude00`,
  '__proto__ constructor toString hasOwnProperty',
]

const ALL = HOSTILE.join('\n\n')
const WORD = 'w'.repeat(1024 * 1024)
const MARKS = `${'>'.repeat(30_000)}\n${'['.repeat(30_000)}\n${'- '.repeat(20_000)}\n${'*a_'.repeat(10_000)}\n${'|'.repeat(5000)}`

/** JSON in a text, deeper than it may be as JSON. */
const NESTED = '['.repeat(9000) + ']'.repeat(9000)

/** Names are shorter than texts: at most 512 characters. */
const name = (index: number) => HOSTILE[index % HOSTILE.length]?.slice(0, 500) ?? 'x'

/** JSON as deep as it may be. */
function deep(levels: number): Json {
  let value: Json = HOSTILE[0] ?? ''
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { [`k${i}`]: value }
  return value
}

/** Parts that are of no use to the type they stand in. */
const ODD: EventInput['parts'][] = [
  null,
  7,
  'text',
  [],
  [[null]],
  {},
  { id: 7, name: [], arguments: null, toolCalls: 'none', toolCallId: {}, gate: {}, isError: 'yes' },
  { toolCalls: [null, 7, {}, { name: 'x' }] },
  { toolCalls: Array.from({ length: 200 }, (_, i) => ({ id: `m${i}`, name: i % 2 === 0 ? 7 : [], arguments: null })) },
  { __proto__: null, constructor: 'x', toString: 'y', status: 7, from: 7, to: [], observations: 7, range: 'x' },
]
const TYPES = ['user_message', 'model_message', 'tool_call', 'tool_result', 'validation_gate', 'memory_recall'] as const

function odd(): EventInput[] {
  return [...TYPES, 'system_event' as const, 'x.odd' as const].flatMap((type, t) =>
    ODD.map((parts, i) => ({ type, content: `odd ${name(t + i)}`, parts, agentId: name(i) }) as EventInput),
  )
}

async function seed(): Promise<Session> {
  const { tl } = inspector()
  const session = await tl.sessions.create({
    userId: name(0),
    task: ALL,
    chatmode: name(1),
    conversationId: name(2),
    metadata: { [name(3)]: ALL },
  })
  await session.updateState({
    [name(0)]: ALL,
    current_task: ALL,
    list: HOSTILE,
    deep: deep(50),
    word: WORD.slice(0, 200_000),
  })
  await session.addToState('blockers', ALL)
  await session.passGate(1, ALL)
  // some of them are refused at the door, and that is well
  for (const event of odd()) await session.append(event).catch(({ code }) => expect(code).toBe('VALIDATION'))
  await session.append([
    { type: 'user_message', content: ALL, agentId: name(1) },
    { type: 'model_message', content: MARKS },
    { type: 'model_message', content: WORD },
    {
      type: 'model_message',
      content: `\`\`\`${name(0)}\n${WORD.slice(0, 15_000)}\n\`\`\`\n| ${'a |'.repeat(200)}\n| ${'- |'.repeat(200)}`,
    },
    { type: 'tool_call', content: ALL, parts: { id: name(3), name: name(4), arguments: ALL } },
    { type: 'tool_call', content: 'deep', parts: { id: 'deep', name: 'deep', arguments: NESTED } },
    { type: 'tool_result', content: WORD, parts: { toolCallId: name(3), output: deep(80) } },
    {
      type: 'model_message',
      content: ALL,
      parts: { toolCalls: HOSTILE.map((text) => ({ id: text, name: text, arguments: text })) },
    },
    { type: 'x.hostile-__proto__', content: WORD, parts: deep(90) },
    { type: 'x.keys', parts: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${name(i)} ${i}`, i])) },
    ...HOSTILE.map((content) => ({ type: 'model_message', content, agentId: content.slice(0, 500) }) as EventInput),
  ])
  await session.handoff({ to: 'motivator', reason: ALL, context: { key_decisions: HOSTILE, [name(1)]: ALL } })
  session.observe.note(`Decision: ${ALL}`)
  session.observe.plan(ALL)
  session.observe.fileRead({ path: name(0) })
  session.observe.fileWrite({ path: name(4), content: ALL })
  session.observe.command({ command: ALL, exitCode: 1, output: ALL })
  session.observe.relations([
    { from: 'file:<img src=x onerror=window.ran=true>', label: 'imports', to: `file:${name(3)}` },
  ])
  await session.flushStep()
  await session.updateEnvelope({
    personaId: name(5),
    metadata: { [name(0)]: ALL },
    analysis: { intent: ALL, tags: HOSTILE },
  })
  await tl.memories.remember({ userId: name(0), content: ALL.slice(0, 10_000) })
  await session.ask(ALL)
  await session.append({
    type: 'tool_call',
    content: ALL,
    parts: { id: 'last', name: WORD.slice(0, 5000), arguments: deep(40) },
  })
  return session
}

/** Nothing ran, nothing sticks out, and the page is all there. */
async function isUnharmed(page: Page): Promise<void> {
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  expect(await sticksOut(page)).toBe(false)
  expect(await page.locator('main :is(script, iframe, style, img, object, embed, form[action])').count()).toBe(0)
  expect(
    await page.locator('main a:not([href^="#"], [href^="http:"], [href^="https:"], [href^="mailto:"])').count(),
  ).toBe(0)
}

describe('a session full of hostile content', () => {
  let session: Session
  beforeAll(async () => {
    session = await seed()
  })

  it('is shown as text in the timeline, from the first event to the last', async () => {
    const page = await inspector().open(`#/sessions/${session.id}/timeline?event=1&group=no`, { viewport: NARROW })
    const { head } = await session.record()
    const focused = () => page.evaluate(() => Number(document.activeElement?.getAttribute('aria-posinset')))
    // each is opened once, so that its details are drawn too
    for (let sequence = 1; sequence <= head; sequence++) {
      await expect.poll(focused, { interval: 10, timeout: 15_000 }).toBe(sequence)
      await page.keyboard.press('Enter')
      await page.keyboard.press('Enter')
      if (sequence < head) await page.keyboard.press('j')
      if (sequence % 20 === 0) await isUnharmed(page)
    }
    await isUnharmed(page)
    await page.getByText('window.ran = true').first().waitFor()
    await page.getByText('safe[U+202E]gnp.exe').first().waitFor()
  })

  it('is shown as text in every other view', async () => {
    const page = await inspector().open(`#/sessions/${session.id}/timeline`, { viewport: NARROW, colorScheme: 'dark' })
    for (const tab of TABS) {
      await page.goto(`${inspector().url}/#/sessions/${session.id}/${tab}`)
      await page.getByRole('navigation', { name: 'Views of the session' }).waitFor()
      await expect.poll(() => page.locator('p.loading').count(), { timeout: 15_000 }).toBe(0)
      await isUnharmed(page)
      if (tab === 'timeline') expect(await axeFindings(page)).toEqual([])
    }
    for (const place of ['#/', '#/memory', '#/connect']) {
      await page.goto(`${inspector().url}/${place}`)
      await page.getByRole('main').waitFor()
      await isUnharmed(page)
    }
  })

  it('stays responsive: the largest texts are shown in parts', async () => {
    const page = await inspector().open(`#/sessions/${session.id}/timeline?show=messages`)
    const more = page.getByRole('button', { name: /Show the rest: 1,0\d\d,\d{3} characters/ })
    for (let i = 0; i < 40 && (await more.count()) === 0; i++) await page.getByRole('feed').press('PageUp')
    await more.click()
    await page.getByRole('button', { name: /Show 50,000 of/ }).waitFor()
    await isUnharmed(page)
  })
})
