import { expect, it } from 'vitest'
import { kindOfCommit } from './commit.ts'
import { ABANDONED, DECLINED, DISPLACED, EXPIRED } from './resume.ts'

it.each([
  [{ state: 'complete' }, 'normal'],
  [{ state: 'complete', endedBy: 'caller' }, 'normal'],
  [{ state: 'aborted', reason: EXPIRED }, 'stale'],
  [{ state: 'aborted', reason: DISPLACED }, 'interrupted'],
  [{ state: 'aborted', reason: ABANDONED }, 'abandoned'],
  [{ state: 'aborted', reason: DECLINED }, 'abandoned'],
  [{ state: 'aborted', reason: 'anything else' }, 'abandoned'],
] as const)('a session that ended as %j leaves a commit that is %s', (status, kind) => {
  expect(kindOfCommit(status)).toBe(kind)
})
