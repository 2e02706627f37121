/** Separates an old value from the new one. */
export function ChangeArrow() {
  return (
    <>
      <span class="hidden"> became </span>
      <span class="muted" aria-hidden="true">
        {' → '}
      </span>
    </>
  )
}
