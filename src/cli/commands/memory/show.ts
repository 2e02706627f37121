import { z } from 'zod'
import type { Throughline } from '../../../api.ts'
import type { Memory, MemoryChange } from '../../../domain/memory/memory.ts'
import { defined } from '../../../domain/optional.ts'
import { reportCommand } from '../../command.ts'
import { hasErrorCode } from '../../failure.ts'
import { lineWidth } from '../../line-width.ts'
import { type TracedEntry, traceLineage } from '../../memory/lineage.ts'
import { formatLineage } from '../../memory/lineage-tree.ts'
import type { Output } from '../../output.ts'
import { renderTable } from '../../table.ts'
import { pluralize, sanitizeLine, sanitizeLines, truncate } from '../../text.ts'

/** A memory with its sources and its history. */
interface MemoryDetails {
  memory: Memory
  lineage: TracedEntry[]
  /** The memory that replaced it, unless that one was forgotten. */
  successor?: Memory
  history: MemoryChange[]
}

export const showCommand = reportCommand({
  usage: 'show <memory>',
  summary: 'show a memory with its sources and its history',
  more: 'Example: throughline memory show 0198c0de-5f0a-7c3e-8a51-3f1d2b4c6e70',
  input: z.strictObject({ memory: z.string() }),

  work: (tl, { memory }) => readMemory(tl, memory),
  format: formatMemory,
})

async function readMemory(tl: Throughline, id: string): Promise<MemoryDetails> {
  const memory = await tl.memories.get(id)
  const successor = memory.supersededBy === undefined ? undefined : await findMemory(tl, memory.supersededBy)
  return {
    memory,
    lineage: await traceLineage(tl, memory),
    ...defined({ successor }),
    history: await tl.memories.history(memory.id),
  }
}

async function findMemory({ memories }: Throughline, id: string): Promise<Memory | undefined> {
  try {
    return await memories.get(id)
  } catch (error) {
    if (hasErrorCode(error, 'MEMORY_NOT_FOUND')) return undefined
    throw error
  }
}

function formatMemory({ memory, lineage, successor, history }: MemoryDetails, output: Output): string {
  const bold = (text: string) => output.paint('bold', text)
  return [
    sanitizeLines(memory.content),
    renderTable(listFacts(memory, successor), [
      { value: ([label]) => label, paint: bold },
      { value: ([, value]) => value },
    ]),
    ...(lineage.length === 0 ? [] : [`${bold('lineage')}\n${formatLineage(lineage, output)}`]),
    ...(history.length === 0 ? [] : [`${bold('history')}\n${formatHistory(history)}`]),
  ].join('\n\n')
}

function listFacts(memory: Memory, successor: Memory | undefined): (readonly [label: string, value: string])[] {
  const { supersededBy, supersededAt, metadata, lastUsedAt, useCount } = memory
  const used = `${pluralize(useCount, 'time')}${lastUsedAt === undefined ? '' : `, last ${lastUsedAt}`}`
  const replaced = successor === undefined ? supersededBy : `${supersededBy}: ${sanitizeLine(successor.content)}`
  const facts: (readonly [string, string | undefined])[] = [
    ['memory', memory.id],
    ['user', `${memory.userId}, tenant ${memory.tenant}`],
    ['category', `${memory.category}, ${memory.sourceType}`],
    ['scope', memory.scope],
    ['confidence', memory.confidence.toFixed(2)],
    ['used', used],
    ['created', memory.createdAt],
    ['expires', memory.expiresAt],
    ['superseded', supersededAt],
    ['replaced by', replaced],
    ['metadata', metadata === undefined ? undefined : JSON.stringify(metadata)],
  ]
  const room = lineWidth() - 'replaced by  '.length
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, truncate(value, room)] as const]))
}

function formatHistory(history: readonly MemoryChange[]): string {
  return renderTable(history, [
    { title: '#', value: ({ version }) => String(version) },
    { title: 'time', value: ({ at }) => at },
    { title: 'change', value: ({ change }) => change },
    { title: 'confidence', value: ({ confidence }) => confidence.toFixed(2) },
    { title: 'cause', value: formatCause },
  ])
}

function formatCause({ source, note, by }: MemoryChange): string {
  const { sessionId, from, to, source: outside } = source ?? {}
  const range = from === undefined ? '' : `:${from}${to === undefined || to === from ? '' : `-${to}`}`
  const parts = [sessionId === undefined ? undefined : `${sessionId}${range}`, outside, by, note]
  return parts.filter((part) => part !== undefined).join(', ')
}
