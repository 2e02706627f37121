import type { SessionEvent } from '../../domain/event.ts'
import type { Output, Style } from '../output.ts'
import { pad, sanitizeLine, sanitizeLines, toOneLine, truncate, wrap } from '../text.ts'
import { asText, describeEvent, type EventDescription } from './describe-event.ts'
import { describeNoise } from './noise.ts'
import { type CallWithResult, type EventWithCalls, toolName } from './tool-calls.ts'

/** How to format events. */
export interface EventStyle {
  width: number
  /** Do not cut texts. */
  full: boolean
  paint: Output['paint']
}

const SEQUENCE_WIDTH = 6
const LABEL_WIDTH = 10
/** On narrower lines, labels go above texts. */
const NARROW = 60
const MAX_SPEECH_LINES = 12

/** Formats neighbouring events of noise in one line, unless everything is shown. */
export function formatGroup(group: readonly EventWithCalls[], style: EventStyle): string[] {
  const [first] = group
  if (first === undefined || group.length === 1 || style.full) {
    return group.flatMap((entry) => formatEvent(entry, style))
  }
  return formatDescription(first.event.sequence, describeNoise(group), style)
}

/** Formats an event: sequence, label and text, with its tool calls below. Safe to print. */
export function formatEvent({ event, calls, tool }: EventWithCalls, style: EventStyle): string[] {
  const phrase = describeEvent(event)
  // the line of the call repeats the event
  const own =
    event.type === 'tool_call' && calls.length > 0
      ? []
      : formatDescription(event.sequence, withToolName(phrase, tool), style)
  const isSilent = event.type === 'model_message' && event.content === '' && calls.length > 0
  return [...(isSilent ? [] : own), ...calls.flatMap((call) => formatCall(event, call, style))]
}

function withToolName(phrase: EventDescription, tool: string | undefined): EventDescription {
  return tool === undefined ? phrase : { ...phrase, text: `${tool}: ${phrase.text}` }
}

function formatCall(
  { sequence }: SessionEvent,
  { call, result, announced, isDangling }: CallWithResult,
  style: EventStyle,
): string[] {
  const given = announced === undefined ? asText(call.arguments) : `(announced in event ${announced})`
  const first = formatDescription(
    sequence,
    { label: 'call', text: `${toolName(call)} ${given}`, labelStyle: 'blue' },
    style,
  )
  if (isDangling) {
    const none: EventDescription = { label: '', text: 'no result', textStyle: 'yellow' }
    return [...first, ...formatDescription(undefined, none, style)]
  }
  if (result === undefined) return first
  const { labelStyle = 'blue', text } = describeEvent(result)
  return [
    ...first,
    ...formatDescription(result.sequence, { label: '└ result', text: text || '(empty)', labelStyle }, style),
  ]
}

function formatDescription(sequence: number | undefined, phrase: EventDescription, style: EventStyle): string[] {
  const { width, full, paint } = style
  const isNarrow = width < NARROW
  const indent = isNarrow ? 2 : SEQUENCE_WIDTH + LABEL_WIDTH + 4
  const { label, text } = fitLabel(phrase)
  const number = paint('dim', pad(sequence === undefined ? '' : String(sequence), SEQUENCE_WIDTH, 'right'))
  const name = paintIf(paint, phrase.labelStyle, pad(label, isNarrow ? 0 : LABEL_WIDTH))
  const lines = phrase.isSpeech || full ? formatSpeech(text, width - indent, style) : undefined
  const say = (line: string) => paintIf(paint, phrase.textStyle, line)

  if (lines === undefined && isNarrow) {
    return [`${number}  ${name} ${say(toOneLine(text, Math.max(8, width - SEQUENCE_WIDTH - 3 - label.length)))}`]
  }
  const shown = lines ?? [toOneLine(text, width - indent)]
  const below = shown.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${say(line)}`))
  if (isNarrow) return [`${number}  ${name}`, ...below]
  return [`${number}  ${name}  ${say(shown[0] ?? '')}`.trimEnd(), ...below.slice(1)]
}

const paintIf = (paint: EventStyle['paint'], color: Style | undefined, text: string) =>
  color === undefined || text === '' ? text : paint(color, text)

/** Moves a label that is too long for its column before the text. */
function fitLabel({ label, text }: EventDescription): { label: string; text: string } {
  const name = sanitizeLine(label)
  const short = truncate(name, LABEL_WIDTH)
  return { label: short, text: short === name || text === '' ? text : `${name}: ${text}` }
}

/** Wraps a text and keeps its first lines, or all with `full`. */
function formatSpeech(text: string, room: number, { full, paint }: EventStyle): string[] {
  const width = Math.max(16, room)
  // a text may have megabytes: read only what can be shown
  const enough = full ? text.length : MAX_SPEECH_LINES * width * 4
  const lines = sanitizeLines(text.slice(0, enough).trimEnd())
    .split('\n')
    .flatMap((line) => wrap(line, width))
  if (full || (lines.length <= MAX_SPEECH_LINES && text.length <= enough)) return lines
  return [
    ...lines.slice(0, MAX_SPEECH_LINES),
    paint('dim', `… show all ${text.length.toLocaleString('en')} characters with --full`),
  ]
}
