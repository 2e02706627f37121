import type { Memory } from '../../api/types.ts'
import { query } from '../../route.ts'
import { MemoryRow } from './memory-row.tsx'

interface Props {
  readonly memories: readonly Memory[]
  readonly hrefOf: (id: string) => string
  readonly label: string
}

/** A list of memories with links to their details. */
export function MemoryList({ memories, hrefOf, label }: Props) {
  const chosen = query.value.get('memory')
  return (
    <ul class="box rows" aria-label={label}>
      {memories.map((memory) => (
        <MemoryRow key={memory.id} memory={memory} href={hrefOf(memory.id)} isChosen={memory.id === chosen} />
      ))}
    </ul>
  )
}
