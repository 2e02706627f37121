import { useMemo, useState } from 'preact/hooks'
import type { Message } from '../../api/types.ts'
import { messageKeys, messageParts, type PartUsage } from './context-parts.ts'
import { MessageItem } from './message-item.tsx'
import css from './messages.module.css'

/** Messages that are there at first: as many from the beginning as from the end. */
const SHOWN_AT_EACH_END = 50
/** Messages that one more click shows. */
const PAGE_SIZE = 200

/** The messages in their order. Of many the first and the last; those between when they are asked for. */
export function MessageList({
  messages,
  sections,
  isPlain,
}: {
  messages: readonly Message[]
  sections: readonly PartUsage[]
  isPlain: boolean
}) {
  const keys = useMemo(() => messageKeys(messages), [messages])
  const parts = useMemo(() => messageParts(messages.length, sections), [messages, sections])
  const [isOpen, setOpen] = useState<ReadonlySet<string>>(new Set<string>())
  const [shown, setShown] = useState(SHOWN_AT_EACH_END)
  const turn = (key: string, open: boolean) =>
    setOpen((before) => (before.has(key) === open ? before : toggle(before, key)))
  const hidden = Math.max(0, messages.length - SHOWN_AT_EACH_END - shown)
  const items = (from: number, to: number) =>
    messages.slice(from, to).map((message, i) => {
      const key = keys[from + i] ?? ''
      return (
        <MessageItem
          key={key}
          message={message}
          place={from + i + 1}
          part={parts[from + i] ?? ''}
          isPlain={isPlain}
          isOpen={isOpen.has(key)}
          onTurn={(open) => turn(key, open)}
        />
      )
    })
  const inSight = [...keys.slice(0, shown), ...keys.slice(shown + hidden)]
  return (
    <>
      <div class="row">
        <button type="button" class="button small" onClick={() => setOpen(new Set(inSight))}>
          Unfold all
        </button>
        <button type="button" class="button small" onClick={() => setOpen(new Set())}>
          Fold all
        </button>
      </div>
      <ol class="box rows">
        {items(0, shown)}
        {hidden > 0 && (
          <li class={css.gap}>
            <button type="button" class="button small" onClick={() => setShown(shown + PAGE_SIZE)}>
              {hidden > PAGE_SIZE
                ? `Show ${PAGE_SIZE} more of the ${hidden.toLocaleString('en')} between`
                : `Show the ${hidden} between`}
            </button>
          </li>
        )}
        {items(shown + hidden, messages.length)}
      </ol>
    </>
  )
}

function toggle(before: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const after = new Set(before)
  if (!after.delete(key)) after.add(key)
  return after
}
