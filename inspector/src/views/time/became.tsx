/** Stands between what something was and what it became. */
export function Became() {
  return (
    <>
      <span class="hidden"> became </span>
      <span class="muted" aria-hidden="true">
        {' → '}
      </span>
    </>
  )
}
