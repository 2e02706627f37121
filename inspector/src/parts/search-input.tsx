import { useEffect, useRef } from 'preact/hooks'

interface Props {
  readonly label: string
  readonly value: string
  readonly onInput: (text: string) => void
}

/** A small box to search what the view shows. `/` focuses it. */
export function SearchInput({ label, value, onInput }: Props) {
  const box = useRef<HTMLInputElement>(null)
  useSlashKey(box)
  return (
    <label>
      <span class="hidden">{label}</span>
      <input
        ref={box}
        class="input small"
        type="search"
        placeholder={`${label} ( / )`}
        autoComplete="off"
        spellcheck={false}
        maxLength={1000}
        dir="auto"
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </label>
  )
}

/** `/` focuses the box, unless the reader is typing elsewhere. */
export function useSlashKey(box: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      box.current?.focus()
      box.current?.select()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
}
