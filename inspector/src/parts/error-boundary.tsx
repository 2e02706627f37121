import { Component, type ComponentChildren } from 'preact'
import { visible } from './visible.ts'

interface Props {
  children: ComponentChildren
}

/** What is drawn in it; if that fails, a note in its place, and the rest of the page stays. */
export class ErrorBoundary extends Component<Props, { problem?: string | undefined }> {
  override componentDidCatch(error: unknown): void {
    reportError(error)
    this.setState({ problem: String(error) })
  }

  override render({ children }: Props) {
    const { problem } = this.state
    if (problem === undefined) return children
    return (
      <div class="note problem" role="alert">
        <p>This view failed: {visible(problem.slice(0, 500))}</p>
        <button type="button" class="button" onClick={() => this.setState({ problem: undefined })}>
          Try again
        </button>
      </div>
    )
  }
}
