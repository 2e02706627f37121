import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import type { Memory } from '../../api/types.ts'
import { query, setQuery } from '../../route.ts'
import css from './memory.module.css'
import { MemoryDetail } from './memory-detail.tsx'

interface Props {
  readonly known: readonly Memory[]
  readonly hrefOf: (id: string) => string
  readonly round: number
  readonly children: ComponentChildren
}

/** Lists, with the memory named in the address beside them, or above them on a narrow page. */
export function ListWithDetail({ known, hrefOf, round, children }: Props) {
  const chosen = query.value.get('memory') ?? ''
  const isSettled = useRef(false)
  useEffect(() => {
    isSettled.current = true
  }, [])
  const isPicked = useCallback(() => isSettled.current, [])
  const close = () => {
    setQuery({ memory: undefined })
    document.getElementById(`memory-${chosen}`)?.focus()
  }
  return (
    <div class={chosen === '' ? undefined : `columns ${css.split}`}>
      <div class={`stack-2 ${css.lists}`}>{children}</div>
      {chosen !== '' && (
        <MemoryDetail id={chosen} known={known} hrefOf={hrefOf} onClose={close} isPicked={isPicked} round={round} />
      )}
    </div>
  )
}
