import { basename, resolve } from 'node:path'
import { defined } from '../../domain/optional.ts'
import { derivedId } from '../../features/kernel/derived-id.ts'
import type { TranscriptName } from '../format.ts'
import { parseUuid } from '../uuid.ts'

/** `rollout-<time>-<thread>.jsonl`; a reverted thread continues in `rollout-<time>-<thread>_<rollout>.jsonl`. */
const NAME = /^rollout-.*?-([\da-f-]{36})(?:_([\da-f-]{36}))?\.jsonl$/i

/** Parses the path of a rollout. */
export function parseName(path: string): TranscriptName {
  const file = basename(path)
  const [, thread, rollout] = NAME.exec(file) ?? []
  return defined({ file, sessionId: parseUuid(rollout ?? thread), fallback: derivedId('codex', resolve(path)) })
}
