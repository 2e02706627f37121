import { expect, it } from 'vitest'
import type { Json, SessionEvent } from '../api/types.ts'
import { hiddenAt, hiddenParts, toRewind } from './rewinds.ts'

const rewound = (sequence: number, to: number, hidden?: Json) =>
  toRewind({
    sequence,
    type: 'rewound',
    content: `because ${sequence}`,
    parts: { to, restored: { ...(hidden !== undefined && { hidden }) } },
  } as unknown as SessionEvent)

it('the hidden parts of a log are those of its last rewind, with the reason of each', () => {
  const parts = hiddenParts([rewound(8, 4), rewound(12, 9, [[5, 7]])])
  expect(parts).toEqual([
    { from: 5, to: 7, by: 8, reason: 'because 8' },
    { from: 10, to: 11, by: 12, reason: 'because 12' },
  ])
  const hidden = Array.from({ length: 14 }, (_, i) => hiddenAt(parts, i)?.by)
  expect(hidden.map((by) => by ?? 0)).toEqual([0, 0, 0, 0, 0, 8, 8, 8, 0, 0, 12, 12, 0, 0])
})

it('a rewind further back hides earlier ones, and a malformed one nothing', () => {
  expect(hiddenParts([rewound(8, 4), rewound(12, 2)])).toMatchObject([{ from: 3, to: 11, by: 12 }])
  expect(hiddenParts([])).toEqual([])
  expect(hiddenParts([toRewind({ sequence: 5, content: '', parts: 7 } as unknown as SessionEvent)])).toEqual([])
})
