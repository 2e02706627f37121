import { useMemo, useState } from 'preact/hooks'
import type { Message } from '../../api/types.ts'
import { MessageItem } from './message-item.tsx'
import css from './messages.module.css'
import { keysOf, partsOfMessages, type Share } from './shares.ts'

/** Messages that are there at first: as many from the beginning as from the end. */
const ENDS = 50
/** Messages that one more click shows. */
const MORE = 200

/** The messages in their order. Of many the first and the last; those between when they are asked for. */
export function MessageList({
  messages,
  sections,
  isPlain,
}: {
  messages: readonly Message[]
  sections: readonly Share[]
  isPlain: boolean
}) {
  const keys = useMemo(() => keysOf(messages), [messages])
  const parts = useMemo(() => partsOfMessages(messages.length, sections), [messages, sections])
  const [isOpen, setOpen] = useState<ReadonlySet<string>>(new Set<string>())
  const [shown, setShown] = useState(ENDS)
  const turn = (key: string, open: boolean) =>
    setOpen((before) => (before.has(key) === open ? before : toggled(before, key)))
  const hidden = Math.max(0, messages.length - ENDS - shown)
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
            <button type="button" class="button small" onClick={() => setShown(shown + MORE)}>
              {hidden > MORE
                ? `Show ${MORE} more of the ${hidden.toLocaleString('en')} between`
                : `Show the ${hidden} between`}
            </button>
          </li>
        )}
        {items(shown + hidden, messages.length)}
      </ol>
    </>
  )
}

function toggled(before: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const after = new Set(before)
  if (!after.delete(key)) after.add(key)
  return after
}
