import { pipeline } from 'node:stream/promises'
import { styleText } from 'node:util'
import type { Failure } from './failure.ts'
import { sanitizeLines, toSafeJson } from './text.ts'

export type Style = Parameters<typeof styleText>[0]

/** The only way from a command to its reader. */
export interface Output {
  /** Whether the reader is a program: `--json`. */
  readonly json: boolean
  /** One result: its text for people or, with `--json`, its data as one line of JSON. */
  print(text: string, data: unknown): void
  /** A word to people on the way to the result; nothing with `--json`. */
  say(text: string): void
  /** As `say`, for what comes bit by bit: it goes no faster than the reader does, so that nothing piles up here. */
  sayAll(texts: AsyncIterable<string>): Promise<void>
  /** Colours text where it goes to a terminal that shows colours. */
  paint(style: Style, text: string): string
  /** Says on stderr why nothing, or no more, comes. */
  fail(failure: Failure): void
}

export function createOutput(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream, json: boolean): Output {
  const write = (stream: NodeJS.WriteStream, text: string) => stream.write(`${text}\n`)
  return {
    json,
    print: (text, data) => write(stdout, json ? toSafeJson(data) : text),
    say: (text) => json || write(stdout, text),
    sayAll: async (texts) => (json ? undefined : await pipeline(withNewlines(texts), stdout, { end: false })),
    paint: (style, text) => (json ? text : applyStyle(style, text, stdout)),
    fail({ code, message, details }) {
      const label = applyStyle('red', `error ${code}:`, stderr)
      write(stderr, json ? toSafeJson({ error: { code, message, details } }) : `${label} ${sanitizeLines(message)}`)
    },
  }
}

/** The text with colours, if the stream shows them. */
export function applyStyle(style: Style, text: string, stream: NodeJS.WriteStream): string {
  // Node knows FORCE_COLOR and terminals; but it lets FORCE_COLOR win over NO_COLOR, and warns
  return process.env['NO_COLOR'] ? text : styleText(style, text, { stream })
}

async function* withNewlines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield `${text}\n`
}
