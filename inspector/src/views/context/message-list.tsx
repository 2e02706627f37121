import { useMemo, useState } from 'preact/hooks'
import type { Message } from '../../api/types.ts'
import { messageKeys, messageParts, type PartUsage } from './context-parts.ts'
import { MessageItem } from './message-item.tsx'
import css from './messages.module.css'

const SHOWN_AT_EACH_END = 50
const PAGE_SIZE = 200

/** The messages in order. Of many it shows the first and last ones, and the others on request. */
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
  const setExpanded = (key: string, open: boolean) =>
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
          onToggle={(open) => setExpanded(key, open)}
        />
      )
    })
  const visibleKeys = [...keys.slice(0, shown), ...keys.slice(shown + hidden)]
  return (
    <>
      <div class="row">
        <button type="button" class="button small" onClick={() => setOpen(new Set(visibleKeys))}>
          Expand all
        </button>
        <button type="button" class="button small" onClick={() => setOpen(new Set())}>
          Collapse all
        </button>
      </div>
      <ol class="box rows">
        {items(0, shown)}
        {hidden > 0 && (
          <li class={css.gap}>
            <button type="button" class="button small" onClick={() => setShown(shown + PAGE_SIZE)}>
              {hidden > PAGE_SIZE
                ? `Show ${PAGE_SIZE} of ${hidden.toLocaleString('en')} hidden messages`
                : `Show ${hidden} hidden messages`}
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
