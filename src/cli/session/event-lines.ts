import type { SessionEvent } from '../../domain/event.ts'
import type { Output, Style } from '../output.ts'
import { clipped, oneLine, padded, printable, printableLines, wrapped } from '../text.ts'
import { nameOf, type Told, type ToldCall } from './calls.ts'
import { type Phrase, phraseOf, plain } from './phrase.ts'

/** How events are to be shown. */
export interface Look {
  /** Columns of a line. */
  width: number
  /** Nothing is cut. */
  full: boolean
  paint: Output['paint']
}

/** Columns for the sequence, and for the label. */
const SEQUENCE = 6
const LABEL = 10
/** Below this many columns labels stand above texts, not beside them. */
const NARROW = 60
/** Lines of what somebody said that are shown. */
const SPEECH = 12

/** One event for people: its sequence, what it is, what it says; its tool calls below it. Safe to print. */
export function eventLines({ event, calls, tool }: Told, look: Look): string[] {
  const phrase = phraseOf(event)
  // the line of a call says all that its event does
  const own =
    event.type === 'tool_call' && calls.length > 0 ? [] : phraseLines(event.sequence, named(phrase, tool), look)
  const isSilent = event.type === 'model_message' && event.content === '' && calls.length > 0
  return [...(isSilent ? [] : own), ...calls.flatMap((call) => callLines(event, call, look))]
}

function named(phrase: Phrase, tool: string | undefined): Phrase {
  return tool === undefined ? phrase : { ...phrase, text: `${tool}: ${phrase.text}` }
}

function callLines(
  { sequence }: SessionEvent,
  { call, result, announced, isDangling }: ToldCall,
  look: Look,
): string[] {
  const given = announced === undefined ? plain(call.arguments) : `(announced in ${announced})`
  const first = phraseLines(sequence, { label: 'call', text: `${nameOf(call)} ${given}`, labelStyle: 'blue' }, look)
  if (isDangling) {
    const none: Phrase = { label: '', text: 'no result', textStyle: 'yellow' }
    return [...first, ...phraseLines(undefined, none, look)]
  }
  if (result === undefined) return first
  const { labelStyle = 'blue', text } = phraseOf(result)
  return [...first, ...phraseLines(result.sequence, { label: '└ result', text: text || '(empty)', labelStyle }, look)]
}

function phraseLines(sequence: number | undefined, phrase: Phrase, look: Look): string[] {
  const { width, full, paint } = look
  const isNarrow = width < NARROW
  const indent = isNarrow ? 2 : SEQUENCE + LABEL + 4
  const { label, text } = labelled(phrase)
  const number = paint('dim', padded(sequence === undefined ? '' : String(sequence), SEQUENCE, 'right'))
  const name = painted(paint, phrase.labelStyle, padded(label, isNarrow ? 0 : LABEL))
  const lines = phrase.isSpeech || full ? speechLines(text, width - indent, look) : undefined
  const say = (line: string) => painted(paint, phrase.textStyle, line)

  if (lines === undefined && isNarrow) {
    return [`${number}  ${name} ${say(oneLine(text, Math.max(8, width - SEQUENCE - 3 - label.length)))}`]
  }
  const shown = lines ?? [oneLine(text, width - indent)]
  const below = shown.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${say(line)}`))
  if (isNarrow) return [`${number}  ${name}`, ...below]
  return [`${number}  ${name}  ${say(shown[0] ?? '')}`.trimEnd(), ...below.slice(1)]
}

const painted = (paint: Look['paint'], style: Style | undefined, text: string) =>
  style === undefined || text === '' ? text : paint(style, text)

/** A label that is too long for its column goes before the text. */
function labelled({ label, text }: Phrase): { label: string; text: string } {
  const name = printable(label)
  const short = clipped(name, LABEL)
  return { label: short, text: short === name || text === '' ? text : `${name}: ${text}` }
}

/** Lines of a text, the first ones unless all are wanted. */
function speechLines(text: string, room: number, { full, paint }: Look): string[] {
  const width = Math.max(16, room)
  // a text may have megabytes: no more of it is looked at than can be shown
  const enough = full ? text.length : SPEECH * width * 4
  const lines = printableLines(text.slice(0, enough).trimEnd())
    .split('\n')
    .flatMap((line) => wrapped(line, width))
  if (full || (lines.length <= SPEECH && text.length <= enough)) return lines
  return [...lines.slice(0, SPEECH), paint('dim', `… --full shows all ${text.length.toLocaleString('en')} characters`)]
}
