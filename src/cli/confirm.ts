import { createInterface } from 'node:readline'
import { ValidationError } from '../domain/errors.ts'
import type { Output } from './output.ts'
import { sanitizeLine } from './text.ts'

/** A destructive action to confirm. */
export interface Question {
  /** What will be deleted. */
  warning: string
  /** Word to type. */
  word: string
  /** Confirmed with `--yes`. */
  yes: boolean
}

/** Returns once the user has typed the word, or at once with `--yes`; throws otherwise. */
export async function confirm({ warning, word, yes }: Question, { json }: Output): Promise<void> {
  if (yes) return
  if (json || !process.stdin.isTTY || !process.stderr.isTTY) {
    throw new ValidationError('yes', 'is required without a terminal and with --json; pass --yes to confirm')
  }
  process.stderr.write(`${warning}\nThis cannot be undone. Type ${sanitizeLine(word)} to confirm: `)
  const answer = await readLine()
  if (answer?.trim() !== word) throw new ValidationError('confirmation', 'does not match; nothing was deleted')
}

/** Reads one line from the terminal; `undefined` at the end of input. Ctrl-C stays a signal. */
async function readLine(): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, terminal: false })
  try {
    for await (const line of lines) return line
    process.stderr.write('\n')
    return undefined
  } finally {
    lines.close()
  }
}
