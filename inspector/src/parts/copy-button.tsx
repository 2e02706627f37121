import { useState } from 'preact/hooks'

/** Copies a text to the clipboard and says so. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    try {
      // absent unless the page came over TLS or from this machine
      await navigator.clipboard.writeText(text)
      setSaid('copied')
    } catch {
      setSaid('blocked by the browser')
    }
  }
  return (
    <>
      <button type="button" class="button quiet small" onClick={() => void copy()} title={label}>
        <span class="hidden">{label}</span>
        <span aria-hidden="true">{said === '' ? 'copy' : said}</span>
      </button>
      <span class="hidden" role="status">
        {said}
      </span>
    </>
  )
}
