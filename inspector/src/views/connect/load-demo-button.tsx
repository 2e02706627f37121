import { computed, signal } from '@preact/signals'
import { type Problem, toProblem } from '../../api/problem.ts'
import { ProblemNote } from '../../parts/notes.tsx'
import { navigate, sessionHref } from '../../route.ts'
import type { DemoProgress } from './load-demo.ts'
import css from './load-demo-button.module.css'

/** Progress and failure of the demo. Shared by all buttons: the view may change while it loads. */
const progress = signal<DemoProgress | undefined>(undefined)
const problem = signal<Problem | undefined>(undefined)

/** Whether the demo is loading, or failed and can be continued. */
export const isDemoUnderWay = computed(() => progress.value !== undefined || problem.value !== undefined)

async function load(): Promise<void> {
  const place = location.hash
  problem.value = undefined
  progress.value = { done: 0, total: 0 }
  try {
    const { loadDemo } = await import('./load-demo.ts')
    const id = await loadDemo((now) => {
      progress.value = now
    })
    // stays if the reader has gone elsewhere meanwhile
    if (location.hash === place) navigate(sessionHref(id))
  } catch (error) {
    problem.value = toProblem(error)
  }
  progress.value = undefined
}

/** Loads the demo conversation, shows the progress, and opens its live session. */
export function LoadDemoButton({ isPrimary = false }: { isPrimary?: boolean }) {
  return (
    <div class={css.demo}>
      {problem.value === undefined && (
        <button
          type="button"
          class={isPrimary ? 'button primary' : 'button'}
          disabled={progress.value !== undefined}
          onClick={() => void load()}
        >
          Load the demo conversation
        </button>
      )}
      {progress.value !== undefined && <Progress {...progress.value} />}
      <ProblemNote problem={problem.value} onRetry={() => void load()} />
    </div>
  )
}

function Progress({ done, total }: DemoProgress) {
  const text = total === 0 ? 'Starting …' : `${done} of ${total}`
  return (
    <span class={css.progress} role="status">
      <progress {...(total > 0 && { max: total, value: done })} aria-label="Loading the demo" /> {text}
    </span>
  )
}
