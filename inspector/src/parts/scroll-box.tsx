import type { ComponentChildren } from 'preact'

/** A box for content wider than the page; it scrolls on its own, also with the keyboard. */
export function ScrollBox({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
