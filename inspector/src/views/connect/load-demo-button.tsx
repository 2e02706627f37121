import { computed, signal } from '@preact/signals'
import { type Problem, toProblem } from '../../api/problem.ts'
import { ProblemNote } from '../../parts/notes.tsx'
import { navigate, sessionHref } from '../../route.ts'
import type { DemoProgress } from './load-demo.ts'
import css from './load-demo-button.module.css'

/** How far the demo is, while it is loaded, and what went wrong. Not of one button: the view around it may change meanwhile. */
const progress = signal<DemoProgress | undefined>(undefined)
const problem = signal<Problem | undefined>(undefined)

/** Whether the demo is being loaded, or broke off and can be taken up again. */
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
    // whoever went elsewhere meanwhile is left there
    if (location.hash === place) navigate(sessionHref(id))
  } catch (error) {
    problem.value = toProblem(error)
  }
  progress.value = undefined
}

/** Plays the demo conversation, says how far it is, and goes to its live session. */
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
