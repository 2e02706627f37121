import { claudeCode } from './claude-code/format.ts'
import { codex } from './codex/format.ts'
import type { TranscriptFormat } from './format.ts'

/** The formats by the name that `import --from` takes. */
export const TRANSCRIPT_FORMATS = { 'claude-code': claudeCode, codex } as const satisfies Record<
  string,
  TranscriptFormat
>

/** Name of a format. */
export type TranscriptFormatName = keyof typeof TRANSCRIPT_FORMATS
