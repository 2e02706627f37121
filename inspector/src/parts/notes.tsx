import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/problem.ts'
import { Button } from './button.tsx'
import { visible } from './visible.ts'

interface AlertProps {
  readonly children: ComponentChildren
  /** The text of the button, and what it does. */
  readonly button: string
  readonly onClick: (() => void) | undefined
}

/** Says what went wrong, with a button if there is something to do about it. */
export function AlertNote({ children, button, onClick }: AlertProps) {
  return (
    <div class="note problem" role="alert">
      <p>{children}</p>
      {onClick && <Button text={button} onClick={onClick} />}
    </div>
  )
}

/** What went wrong, with a button to retry. */
export function ProblemNote({ problem, onRetry }: { problem: Problem | undefined; onRetry?: () => void }) {
  if (problem === undefined) return null
  return (
    <AlertNote button="Try again" onClick={onRetry}>
      <strong class="mono">{problem.code}</strong> {visible(problem.message)}
    </AlertNote>
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
