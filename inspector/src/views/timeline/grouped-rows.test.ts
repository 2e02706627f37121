import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../api/types.ts'
import { Outline } from '../../session/outline.ts'
import { type Entry, groupedRows, type OpenGroups } from './grouped-rows.ts'

const NONE: OpenGroups = { steps: new Set(), noise: new Set() }

/** Events in letters: user, message, call, result of the oldest call, failed result, noise, step of a run, status. */
function logOf(letters: string): Outline {
  let calls = 0
  let results = 0
  const events = [...letters].map((letter, i) => {
    const at = new Date(i * 1000).toISOString()
    const base = { id: `e${i}`, sessionId: 's', sequence: i + 1, role: 'assistant', content: letter, createdAt: at }
    const result = () => ({ toolCallId: `c${results++}` })
    switch (letter) {
      case 'U':
        return { ...base, type: 'user_message' }
      case 'M':
        return { ...base, type: 'model_message' }
      case 'C':
        return {
          ...base,
          type: 'tool_call',
          parts: { id: `c${calls++}`, name: calls % 2 ? 'Bash' : 'Read', arguments: {} },
        }
      case 'r':
        return { ...base, type: 'tool_result', parts: result() }
      case 'f':
        return { ...base, type: 'tool_result', parts: { ...result(), isError: true } }
      case 'x':
        return { ...base, type: 'x.agent.progress' }
      case 'p':
        return { ...base, type: 'step_completed', parts: { key: 'k' } }
      default:
        return { ...base, type: 'status_changed' }
    }
  })
  const outline = new Outline()
  outline.add(events as SessionEvent[])
  return outline
}

const show = ({ kind, from, to }: Entry) => (kind === 'event' ? `${from}` : `${kind} ${from}-${to}`)
const rows = (letters: string, open = NONE) => groupedRows(logOf(letters), 1, letters.length, open).map(show)

describe('rows of a log', () => {
  it('the steps of a turn are one row, between the first message and the answer', () => {
    expect(rows('UMCrMCfxxMCrCM')).toEqual(['1', '2', 'steps 3-13', '14'])
    const [, , steps] = groupedRows(logOf('UMCrMCfxxMCrCM'), 1, 14, NONE)
    expect(steps).toMatchObject({
      calls: 4,
      failed: 1,
      open: 1,
      messages: 2,
      custom: 2,
      ms: 10_000,
      tools: [
        { name: 'Bash', calls: 2, failed: 0 },
        { name: 'Read', calls: 2, failed: 1 },
      ],
    })
  })

  it('steps of a run are in it, or have a row each', () => {
    expect(rows('UMCrpMCrpCrCrM')).toEqual(['1', '2', 'steps 3-13', '14'])
    expect(rows('UppM')).toEqual(['1', '2', '3', '4'])
  })

  it('a few calls stay as they are', () => {
    expect(rows('UCrCrCrM')).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
  })

  it('custom events in a row are one row, with results of calls above; a single one stays', () => {
    expect(rows('UMxxxMx')).toEqual(['1', '2', 'noise 3-5', '6', '7'])
    expect(rows('UCxrM')).toEqual(['1', '2', 'noise 3-4', '5'])
    // a result without its call has to be seen
    expect(rows('UrxM')).toEqual(['1', '2', '3', '4'])
  })

  it('changes of state and new turns are never inside a group', () => {
    expect(rows('UCCCCrrrrsCCCCrrrrUM')).toEqual(['1', 'steps 2-9', '10', 'steps 11-18', '19', '20'])
  })

  it('an open group is followed by its rows', () => {
    const open = { steps: new Set([2]), noise: new Set<number>() }
    expect(rows('UCxrCCCM', open)).toEqual(['1', 'steps 2-7', '2', 'noise 3-4', '5', '6', '7', '8'])
    const both = { steps: new Set([7]), noise: new Set([4]) }
    expect(rows('UCxrCCCM', both)).toEqual(['1', 'steps 2-7', '2', 'noise 3-4', '3', '4', '5', '6', '7', '8'])
    const depths = groupedRows(logOf('UCxrCCCM'), 1, 8, both).map(({ depth }) => depth)
    expect(depths).toEqual([0, 0, 1, 1, 2, 2, 1, 1, 1, 0])
  })

  it('what is not loaded ends a group, a page at a time', () => {
    const outline = logOf('UCCCCrr')
    expect(groupedRows(outline, 1, 250, NONE).map(show)).toEqual([
      '1',
      'steps 2-7',
      'gap 8-100',
      'gap 101-200',
      'gap 201-250',
    ])
  })

  it('every event is in exactly one row, or in an open group and one row of it', () => {
    const letter = fc.constantFrom(...'UMCrfxs')
    const open = fc.record({ steps: fc.array(fc.nat(40)), noise: fc.array(fc.nat(40)) })
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 40 }), open, (letters, { steps, noise }) => {
        const outline = logOf(letters.join(''))
        const list = groupedRows(outline, 1, letters.length, { steps: new Set(steps), noise: new Set(noise) })
        const shown = list.flatMap((entry) => {
          const isHead = (entry.kind === 'steps' || entry.kind === 'noise') && entry.isOpen
          return isHead ? [] : Array.from({ length: entry.to - entry.from + 1 }, (_, i) => entry.from + i)
        })
        expect(shown).toEqual(letters.map((_, i) => i + 1))
      }),
    )
  })
})
