import { pipeline } from 'node:stream/promises'
import { styleText } from 'node:util'
import type { Failure } from './failure.ts'
import { sanitizeLines, toSafeJson } from './text.ts'

export type Style = Parameters<typeof styleText>[0]

/** Everything a command prints goes through here. */
export interface Output {
  /** Whether `--json` was given. */
  readonly json: boolean
  /** Prints a result: the text or, with `--json`, the data as one line of JSON. */
  print(text: string, data: unknown): void
  /** Prints a text before the result; nothing with `--json`. */
  say(text: string): void
  /** Prints texts as they come and waits for a slow reader instead of buffering; nothing with `--json`. */
  sayAll(texts: AsyncIterable<string>): Promise<void>
  /** Colors a text if stdout shows colors. */
  paint(style: Style, text: string): string
  /** Prints an error on stderr. */
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

/** Colors a text if the stream shows colors. */
export function applyStyle(style: Style, text: string, stream: NodeJS.WriteStream): string {
  // Node lets FORCE_COLOR win over NO_COLOR, and warns; here NO_COLOR wins
  return process.env['NO_COLOR'] ? text : styleText(style, text, { stream })
}

async function* withNewlines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield `${text}\n`
}
