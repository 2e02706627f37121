import { expect, it } from 'vitest'
import { commitKind } from './commit.ts'

it.each([
  [{ state: 'complete' }, 'normal'],
  [{ state: 'complete', endedBy: 'caller' }, 'normal'],
  [{ state: 'aborted', reason: 'any text', cause: 'expired' }, 'stale'],
  [{ state: 'aborted', reason: 'any text', cause: 'displaced' }, 'interrupted'],
  [{ state: 'aborted', reason: 'any text', cause: 'abandoned' }, 'abandoned'],
  [{ state: 'aborted', reason: 'any text', cause: 'declined' }, 'abandoned'],
  [{ state: 'aborted', reason: 'Session expired' }, 'abandoned'],
  [{ state: 'aborted', reason: 'Interrupted by new task' }, 'abandoned'],
] as const)('a session that ended as %j leaves a commit of kind %s', (status, kind) => {
  expect(commitKind(status)).toBe(kind)
})
