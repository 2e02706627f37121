import type { AgentTransition, Session } from '../../api.ts'
import type { Envelope } from '../../domain/envelope.ts'
import type { SessionScratchpad } from '../../domain/fold.ts'
import { formatProgress } from '../../domain/progress.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { workBuilder } from '../../domain/work.ts'
import { renderFittedTable } from '../fitted-table.ts'
import { lineWidth } from '../line-width.ts'
import type { Output } from '../output.ts'
import { sanitizeLines, wrap } from '../text.ts'
import { formatUtc } from '../time-format.ts'
import { readPages } from './event-range.ts'

/** The requested views. */
export interface Views {
  state?: SessionScratchpad
  envelope?: Envelope
  agents?: AgentTransition[]
  /** Text about the work done. */
  work?: string
}

/** Describes the work up to the last event of the record. */
export async function readWork(session: Session, record: SessionRecord): Promise<string> {
  const builder = workBuilder()
  for await (const page of readPages(session, { from: 1, to: record.head }))
    for (const event of page) builder.add(event)
  return formatProgress(record, builder.finish())
}

/** Formats views, each below its name. */
export function formatViews({ state, envelope, agents, work }: Views, output: Output): string {
  const sections: (readonly [string, string | undefined])[] = [
    ['state', state && formatScratchpad(state)],
    ['envelope', envelope && indent(JSON.stringify(envelope, undefined, 2))],
    ['agents', agents && formatTransitions(agents)],
    ['work', work === undefined ? undefined : indent(work)],
  ]
  return sections
    .flatMap(([name, text]) => (text === undefined ? [] : [`${output.paint('bold', name)}\n${text}`]))
    .join('\n\n')
}

function formatScratchpad({ scratchpad, version, updatedAt }: SessionScratchpad): string {
  const changes = version === 0 ? 'never changed' : `version ${version}, ${formatUtc(updatedAt)}`
  return `${indent(JSON.stringify(scratchpad, undefined, 2))}\n  ${changes}`
}

function formatTransitions(transitions: readonly AgentTransition[]): string {
  if (transitions.length === 0) return '  no transitions'
  return renderFittedTable(
    transitions,
    [
      { title: 'event', value: ({ sequence }) => String(sequence), align: 'right' },
      { title: 'time', value: ({ timestamp }) => formatUtc(timestamp), dropOrder: 1 },
      { title: 'from', value: ({ from }) => from, maxWidth: 24 },
      { title: 'to', value: ({ to }) => to, maxWidth: 24 },
    ],
    { title: 'reason', value: ({ reason }) => reason },
  )
}

function indent(text: string): string {
  return sanitizeLines(text)
    .split('\n')
    .flatMap((line) => wrap(line, Math.max(16, lineWidth() - 2)))
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')
}
