import { beforeEach, describe, expect, it } from 'vitest'
import type { Observe } from '../../api.ts'
import type { Observation } from '../../domain/graph.ts'
import { LIMITS } from '../../domain/limits.ts'
import { observeOn, stageObservations } from './staged.ts'
import { Staging } from './staging.ts'

const SESSION = 'a'

let made: number
const newId = () => `id-${++made}`

beforeEach(() => {
  made = 0
})

/** What waits for the session. */
async function waiting(staging: Staging): Promise<readonly Observation[]> {
  return await staging.flush(SESSION, async (staged) => [[], staged])
}

/** What an observer notes in this process. */
async function observed(note: (observe: Observe) => void): Promise<readonly Observation[]> {
  const staging = new Staging()
  note(observeOn({ staging, newId }, SESSION))
  return await waiting(staging)
}

/** What waits of a list that came as JSON. */
async function taken(list: readonly unknown[]): Promise<readonly Observation[]> {
  const staging = new Staging()
  stageObservations(staging, newId, SESSION, JSON.parse(JSON.stringify(list)), 'observations')
  return await waiting(staging)
}

describe('observations that come over HTTP', () => {
  it('stay as they are, key by key, where they are in the form that is kept', async () => {
    const kept = await observed((observe) => {
      observe.note('Decision: use jitter')
      observe.plan('First the tests')
      observe.fileRead({ path: 'a.ts' })
      observe.fileWrite({ path: 'a.ts', content: 'ö' })
      observe.fileWrite({ path: 'b.ts', hash: 'abc' })
      observe.fileWrite({ path: 'c.ts' })
      observe.command({ command: 'make' })
      observe.command({ command: 'make', exitCode: 0, output: '' })
      observe.command({ command: 'make', exitCode: 2, output: `\0${'💥'.repeat(LIMITS.output)}a\0b` })
      observe.relations([
        { from: 'file:a.ts', label: 'imports', to: 'module:b' },
        { to: 'file:b', label: 'calls', from: 'item:a', evidence: { confidence: 0.5, tool: 'grep', event: 3 } },
      ])
    })
    const again = await taken(kept)
    expect(again).toEqual(kept)
    expect(JSON.stringify(again)).toBe(JSON.stringify(kept))
  })

  it('become what observe makes of them where they are as a caller has them', async () => {
    const output = 'x'.repeat(LIMITS.output + 10)
    const raw = await taken([
      { text: 'hm', kind: 'note' },
      { kind: 'plan', text: 'next' },
      { path: 'a.ts', content: 'two', kind: 'fileWrite' },
      { kind: 'fileWrite', path: 'a.ts', content: 'two', hash: 'own' },
      { output, command: 'make', kind: 'command', exitCode: 1 },
    ])
    made = 0
    const same = await observed((observe) => {
      observe.note('hm')
      observe.plan('next')
      observe.fileWrite({ path: 'a.ts', content: 'two' })
      observe.fileWrite({ path: 'a.ts', content: 'two', hash: 'own' })
      observe.command({ command: 'make', exitCode: 1, output })
    })
    expect(JSON.stringify(raw)).toBe(JSON.stringify(same))
    expect(raw[0]).toEqual({ kind: 'note', id: 'id-1', text: 'hm' })
    expect(raw[2]).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 3 })
    expect(raw[4]).toMatchObject({ output: 'x'.repeat(LIMITS.output), omitted: 10 })
  })

  it('have the length of the content they bring, and count what was left out before', async () => {
    const [file, run, none] = await taken([
      { kind: 'fileWrite', path: 'a', content: 'two', bytes: 99 },
      { kind: 'command', command: 'make', output: 'x'.repeat(LIMITS.output + 1), omitted: 5 },
      { kind: 'command', command: 'make', omitted: 0 },
    ])
    expect(file).toMatchObject({ bytes: 3 })
    expect(run).toMatchObject({ omitted: 6 })
    expect(none).toEqual({ kind: 'command', command: 'make' })
  })

  it('may be none', async () => {
    expect(await taken([])).toEqual([])
  })
})

describe('an observation that is none', () => {
  const fine = { kind: 'fileRead', path: 'a' }

  it.each([
    ['a list', fine, 'observations'],
    ['an object', [fine, 'note'], 'observations[1]'],
    ['a kind', [fine, { path: 'a' }], 'observations[1].kind'],
    ['a known kind', [{ kind: 'thought', text: 'a' }], 'observations[0].kind'],
    ['a text', [{ kind: 'note', text: '' }], 'observations[0].text'],
    ['an id', [{ kind: 'plan', text: 'a', id: '' }], 'observations[0].id'],
    ['a path', [fine, { kind: 'fileRead', path: '' }], 'observations[1].path'],
    ['a length', [{ kind: 'fileWrite', path: 'a', bytes: -1 }], 'observations[0].bytes'],
    ['whole characters', [{ kind: 'command', command: 'a', omitted: 0.5 }], 'observations[0].omitted'],
    [
      'a node',
      [{ kind: 'relations', edges: [{ from: 'a', label: 'b', to: 'file:c' }] }],
      'observations[0].edges[0].from',
    ],
    ['a field of its kind', [{ ...fine, content: 'a' }], 'observations[0].content'],
    ['our own notes of transitions', [{ kind: 'note', text: 'a', about: 'abort' }], 'observations[0].about'],
  ])('is refused by its field for want of %s, and nothing waits', (_, input, field) => {
    const staging = new Staging()
    const stage = () => stageObservations(staging, newId, SESSION, input, 'observations')
    expect(stage).toThrow(expect.objectContaining({ code: 'VALIDATION', field }))
    expect(staging.has(SESSION)).toBe(false)
  })

  it('is refused when one is too long', () => {
    const stage = (input: unknown) => () => stageObservations(new Staging(), newId, SESSION, input, 'observations')
    const tooLarge = (field: string) => expect.objectContaining({ code: 'TOO_LARGE', field })
    expect(stage(Array(2000).fill(fine))).not.toThrow()
    expect(stage([{ kind: 'note', text: 'x'.repeat(LIMITS.note + 1) }])).toThrow(tooLarge('observations[0].text'))
  })
})
