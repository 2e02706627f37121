import { Component, type ComponentChildren } from 'preact'
import { AlertNote } from './notes.tsx'
import { visible } from './visible.ts'

interface Props {
  children: ComponentChildren
}

/** Shows a note in place of children that throw, and leaves the rest of the page alone. */
export class ErrorBoundary extends Component<Props, { problem?: string | undefined }> {
  override componentDidCatch(error: unknown): void {
    reportError(error)
    this.setState({ problem: String(error) })
  }

  override render({ children }: Props) {
    const { problem } = this.state
    if (problem === undefined) return children
    return (
      <AlertNote button="Try again" onClick={() => this.setState({ problem: undefined })}>
        This view failed: {visible(problem.slice(0, 500))}
      </AlertNote>
    )
  }
}
