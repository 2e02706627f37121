import type { Memory } from '../../api/types.ts'
import { MemoryRow } from './memory-row.tsx'

/** A list of memories with links to their details. */
export function MemoryList({
  memories,
  chosen,
  hrefOf,
  label,
}: {
  memories: readonly Memory[]
  chosen: string
  hrefOf: (id: string) => string
  label: string
}) {
  return (
    <ul class="box rows" aria-label={label}>
      {memories.map((memory) => (
        <MemoryRow key={memory.id} memory={memory} href={hrefOf(memory.id)} isChosen={memory.id === chosen} />
      ))}
    </ul>
  )
}
