import { z } from 'zod'
import { ValidationError } from '../../domain/errors.ts'
import { type SessionEvent, toolCallsOf } from '../../domain/event.ts'
import { defined } from '../../domain/optional.ts'
import { quote } from '../quote.ts'
import { defineTool, sessionId } from '../tool.ts'

/** Characters of one page: the response repeats them, and JSON escapes some. */
const PAGE = 20_000

const readEvent = defineTool({
  name: 'read_event',
  title: 'Read one event whole',
  description:
    'Get the whole text of one event by its sequence number: for example a tool result that build_context replaced by one line. Long texts come in pages.',
  input: z.object({
    sessionId,
    sequence: z.int().min(1).describe('Position in the log, as build_context and read_session show it.'),
    offset: z.int().min(0).default(0).describe('Character to start at: the nextOffset of the page before.'),
  }),
  output: z.object({
    sequence: z.int(),
    type: z.string(),
    text: z.string().describe('The content, then each tool call with its arguments.'),
    characters: z.int().describe('Length of the whole text.'),
    nextOffset: z.int().optional().describe('Absent on the last page.'),
  }),
  effect: 'reads',
  async run({ tl }, { sessionId: id, sequence, offset }) {
    const session = await tl.sessions.get(id)
    const [event] = await session.events({ after: sequence - 1, before: sequence + 1, limit: 1 })
    if (event === undefined) {
      const { head } = await session.record()
      throw new ValidationError('sequence', `must be an event of the session, from 1 to ${head}`)
    }
    const whole = wholeText(event)
    const page = whole.slice(offset, offset + PAGE).replace(/[\uD800-\uDBFF]$/, '')
    const end = offset + page.length
    const data = { sequence, type: event.type, text: page, characters: whole.length }
    const next = end < whole.length && page !== '' ? end : undefined
    const more = next === undefined ? [] : [`(more: offset ${next} of ${whole.length.toLocaleString('en')})`]
    return { data: { ...data, ...defined({ nextOffset: next }) }, text: [quote(page), ...more].join('\n') }
  },
})

function wholeText(event: SessionEvent): string {
  const calls = toolCallsOf(event).map(({ name, arguments: given }) => {
    return `${name}(${typeof given === 'string' ? given : JSON.stringify(given)})`
  })
  return [...(event.content === '' ? [] : [event.content]), ...calls].join('\n')
}

export const eventTools = [readEvent]
