import type { ComponentChildren } from 'preact'

/** A box for what may be wider than the page: it scrolls by itself, with the keyboard too. */
export function ScrollBox({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the arrow keys
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
