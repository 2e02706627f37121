import { z } from 'zod'
import type { Throughline } from '../../../api.ts'
import type { Memory, MemoryChange } from '../../../domain/memory/memory.ts'
import { parse } from '../../../features/kernel/parse.ts'
import type { Command } from '../../command.ts'
import { lineWidth } from '../../fitted-table.ts'
import { type Traced, traced } from '../../memory/lineage.ts'
import { lineageText } from '../../memory/lineage-tree.ts'
import type { Output } from '../../output.ts'
import { table } from '../../table.ts'
import { withStore } from '../../target.ts'
import { clipped, counted, printable, printableLines } from '../../text.ts'

const showInput = z.strictObject({ memory: z.string() })

/** A memory with all that is known of where it comes from and what became of it. */
interface Shown {
  memory: Memory
  lineage: Traced[]
  /** The memory that took its place, if it is still there. */
  successor?: Memory
  history: MemoryChange[]
}

export const showCommand: Command = {
  usage: 'show <memory>',
  summary: 'show a memory, where it comes from, and what became of it',
  more: '\nExample: throughline memory show 0198c0de-5f0a-7c3e-8a51-3f1d2b4c6e70',

  async run(input, { target, output }) {
    const { memory } = parse(showInput, input)
    const shown = await withStore(target, (tl) => gathered(tl, memory))
    output.print(shownText(shown, output), shown)
    return undefined
  },
}

async function gathered(tl: Throughline, id: string): Promise<Shown> {
  const memory = await tl.memories.get(id)
  const successor = memory.supersededBy === undefined ? undefined : await found(tl, memory.supersededBy)
  return {
    memory,
    lineage: await traced(tl, memory),
    ...(successor !== undefined && { successor }),
    history: await tl.memories.history(memory.id),
  }
}

async function found({ memories }: Throughline, id: string): Promise<Memory | undefined> {
  try {
    return await memories.get(id)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MEMORY_NOT_FOUND') return undefined
    throw error
  }
}

function shownText({ memory, lineage, successor, history }: Shown, output: Output): string {
  const bold = (text: string) => output.paint('bold', text)
  return [
    printableLines(memory.content),
    table(factsOf(memory, successor), [{ value: ([label]) => label, paint: bold }, { value: ([, value]) => value }]),
    ...(lineage.length === 0 ? [] : [`${bold('lineage')}\n${lineageText(lineage, output)}`]),
    ...(history.length === 0 ? [] : [`${bold('history')}\n${historyText(history)}`]),
  ].join('\n\n')
}

function factsOf(memory: Memory, successor: Memory | undefined): (readonly [label: string, value: string])[] {
  const { supersededBy, supersededAt, metadata, lastUsedAt, useCount } = memory
  const used = `${counted(useCount, 'time')}${lastUsedAt === undefined ? '' : `, last ${lastUsedAt}`}`
  const replaced = successor === undefined ? supersededBy : `${supersededBy}: ${printable(successor.content)}`
  const facts: (readonly [string, string | undefined])[] = [
    ['memory', memory.id],
    ['user', `${memory.userId}, tenant ${memory.tenant}`],
    ['category', `${memory.category}, ${memory.sourceType}`],
    ['scope', memory.scope],
    ['believed', memory.confidence.toFixed(2)],
    ['used', used],
    ['made', memory.createdAt],
    ['expires', memory.expiresAt],
    ['superseded', supersededAt],
    ['by', replaced],
    ['metadata', metadata === undefined ? undefined : JSON.stringify(metadata)],
  ]
  const room = lineWidth() - 'superseded  '.length
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, clipped(value, room)] as const]))
}

function historyText(history: readonly MemoryChange[]): string {
  return table(history, [
    { title: 'version', value: ({ version }) => String(version) },
    { title: 'when', value: ({ at }) => at },
    { title: 'change', value: ({ change }) => change },
    { title: 'believed', value: ({ confidence }) => confidence.toFixed(2) },
    { title: 'because of', value: causeOf },
  ])
}

function causeOf({ source, note, by }: MemoryChange): string {
  const { sessionId, from, to, source: outside } = source ?? {}
  const range = from === undefined ? '' : `:${from}${to === undefined || to === from ? '' : `-${to}`}`
  const parts = [sessionId === undefined ? undefined : `${sessionId}${range}`, outside, by, note]
  return parts.filter((part) => part !== undefined).join(', ')
}
