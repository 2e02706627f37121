/** Stands between what something was and what it became. */
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
