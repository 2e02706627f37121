import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/problem.ts'
import { visible } from './visible.ts'

/** What went wrong, with a button to retry. */
export function ProblemNote({ problem, onRetry }: { problem: Problem | undefined; onRetry?: () => void }) {
  if (problem === undefined) return null
  return (
    <div class="note problem" role="alert">
      <p>
        <strong class="mono">{problem.code}</strong> {visible(problem.message)}
      </p>
      {onRetry && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Says that there is nothing to show, and why. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  )
}

export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <p class="muted loading" role="status">
      {what} …
    </p>
  )
}
