import type { AgentTransition, Session } from '../../api.ts'
import type { Envelope } from '../../domain/envelope.ts'
import type { SessionScratchpad } from '../../domain/fold.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { progressText } from '../../domain/summary.ts'
import { workBuilder } from '../../domain/work.ts'
import { momentOf } from '../age.ts'
import { fittedTable } from '../fitted-table.ts'
import { lineWidth } from '../line-width.ts'
import type { Output } from '../output.ts'
import { printableLines, wrapped } from '../text.ts'
import { pagesOf } from './range.ts'

/** The views that were asked for, by name. */
export interface Views {
  state?: SessionScratchpad
  envelope?: Envelope
  agents?: AgentTransition[]
  /** What was done, for people to read. */
  work?: string
}

/** What was done up to the last event of the record. */
export async function workAt(session: Session, record: SessionRecord): Promise<string> {
  const builder = workBuilder()
  for await (const page of pagesOf(session, { from: 1, to: record.head })) for (const event of page) builder.add(event)
  return progressText(record, builder.finish())
}

/** The views for people, each under its name. */
export function viewsText({ state, envelope, agents, work }: Views, output: Output): string {
  const sections: (readonly [string, string | undefined])[] = [
    ['state', state && stateText(state)],
    ['envelope', envelope && indented(JSON.stringify(envelope, undefined, 2))],
    ['agents', agents && agentsText(agents)],
    ['work', work === undefined ? undefined : indented(work)],
  ]
  return sections
    .flatMap(([name, text]) => (text === undefined ? [] : [`${output.paint('bold', name)}\n${text}`]))
    .join('\n\n')
}

function stateText({ scratchpad, version, updatedAt }: SessionScratchpad): string {
  const changes = version === 0 ? 'never changed' : `version ${version}, ${momentOf(updatedAt)}`
  return `${indented(JSON.stringify(scratchpad, undefined, 2))}\n  ${changes}`
}

function agentsText(transitions: readonly AgentTransition[]): string {
  if (transitions.length === 0) return '  no transition so far'
  return fittedTable(
    transitions,
    [
      { title: 'event', value: ({ sequence }) => String(sequence), align: 'right' },
      { title: 'when', value: ({ timestamp }) => momentOf(timestamp), spare: 1 },
      { title: 'from', value: ({ from }) => from, width: 24 },
      { title: 'to', value: ({ to }) => to, width: 24 },
    ],
    { title: 'reason', value: ({ reason }) => reason },
  )
}

function indented(text: string): string {
  return printableLines(text)
    .split('\n')
    .flatMap((line) => wrapped(line, Math.max(16, lineWidth() - 2)))
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')
}
