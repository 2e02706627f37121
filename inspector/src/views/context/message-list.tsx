import { useMemo, useState } from 'preact/hooks'
import type { Message } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { messageKeys, messageParts, type PartUsage } from './context-parts.ts'
import { MessageItem } from './message-item.tsx'
import css from './messages.module.css'

const SHOWN_AT_EACH_END = 50
const PAGE_SIZE = 200

interface Props {
  readonly messages: readonly Message[]
  readonly sections: readonly PartUsage[]
  readonly isPlain: boolean
}

/** The messages in order. Of many it shows the first and last ones, and the others on request. */
export function MessageList({ messages, sections, isPlain }: Props) {
  const keys = useMemo(() => messageKeys(messages), [messages])
  const parts = useMemo(() => messageParts(messages, sections), [messages, sections])
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
        <Button look="small" text="Expand all" onClick={() => setOpen(new Set(visibleKeys))} />
        <Button look="small" text="Collapse all" onClick={() => setOpen(new Set())} />
      </div>
      <ol class="box rows">
        {items(0, shown)}
        {hidden > 0 && (
          <li class={css.gap}>
            <Button
              look="small"
              text={
                hidden > PAGE_SIZE
                  ? `Show ${PAGE_SIZE} of ${hidden.toLocaleString('en')} hidden messages`
                  : `Show ${hidden} hidden messages`
              }
              onClick={() => setShown(shown + PAGE_SIZE)}
            />
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
