import { isCurrent, type Memory } from '../../domain/memory/memory.ts'
import { renderFittedTable } from '../fitted-table.ts'
import { lineWidth } from '../line-width.ts'
import type { Output } from '../output.ts'
import type { Column } from '../table.ts'
import { formatAge } from '../time-format.ts'

const MIN_WIDTH_FOR_IDS = 110

/** Formats memories, one per line, cut to the line width. Expired and superseded ones are dim. */
export function formatMemories<M extends Memory>(
  memories: readonly M[],
  first: readonly Column<M>[],
  output: Output,
): string {
  const now = Date.now()
  const isPast = (memory: M) => !isCurrent(memory, new Date(now).toISOString())
  const columns: Column<M>[] = [
    ...first,
    { title: 'confidence', value: ({ confidence }) => confidence.toFixed(2) },
    { title: 'category', value: ({ category }) => category, maxWidth: 16 },
    { title: 'age', value: ({ createdAt }) => formatAge(createdAt, now) },
    ...(lineWidth() < MIN_WIDTH_FOR_IDS ? [] : [{ title: 'id', value: ({ id }: M) => id }]),
  ]
  return renderFittedTable(memories, columns, {
    title: 'content',
    value: ({ content }) => content,
    paint: (text, memory) => (isPast(memory) ? output.paint('dim', text) : text),
  })
}
