import { createInterface } from 'node:readline'
import { ValidationError } from '../domain/errors.ts'
import type { Output } from './output.ts'
import { sanitizeLine } from './text.ts'

/** What is to be confirmed. */
export interface Question {
  /** What will be gone. */
  warning: string
  /** What has to be typed. */
  word: string
  /** It was said beforehand that it is meant. */
  yes: boolean
}

/** Returns if a person at the terminal types the word, or it was said beforehand; throws otherwise. */
export async function confirm({ warning, word, yes }: Question, { json }: Output): Promise<void> {
  if (yes) return
  if (json || !process.stdin.isTTY || !process.stderr.isTTY) {
    throw new ValidationError('yes', 'is missing: --yes says that it is meant, where nobody can be asked')
  }
  process.stderr.write(`${warning}\nIt cannot be brought back. To go on, type ${sanitizeLine(word)}: `)
  const answer = await readLine()
  if (answer?.trim() !== word) throw new ValidationError('confirmation', 'that was something else: nothing was removed')
}

/** One line from the terminal, which stays as it is: Ctrl-C is a signal, as ever. `undefined` at the end of input. */
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
