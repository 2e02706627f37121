import type { Memory } from '../../api/types.ts'
import { MemoryRow } from './memory-row.tsx'

interface Props {
  readonly memories: readonly Memory[]
  readonly chosen: string
  readonly hrefOf: (id: string) => string
  readonly label: string
}

/** A list of memories with links to their details. */
export function MemoryList({ memories, chosen, hrefOf, label }: Props) {
  return (
    <ul class="box rows" aria-label={label}>
      {memories.map((memory) => (
        <MemoryRow key={memory.id} memory={memory} href={hrefOf(memory.id)} isChosen={memory.id === chosen} />
      ))}
    </ul>
  )
}
