import { useState } from 'preact/hooks'
import { type Problem, problemOf } from '../../api/problem.ts'
import { type DemoProgress, loadDemo } from '../../demo/load-demo.ts'
import { ProblemNote } from '../../parts/notes.tsx'
import { go, sessionHref } from '../../route.ts'
import css from './load-demo-button.module.css'

/** Plays the demo conversation, says how far it is, and goes to its live session. What broke off can be taken up again. */
export function LoadDemoButton({ isPrimary = false }: { isPrimary?: boolean }) {
  const [progress, setProgress] = useState<DemoProgress>()
  const [problem, setProblem] = useState<Problem>()
  const load = async () => {
    setProblem(undefined)
    setProgress({ done: 0, of: 0 })
    try {
      go(sessionHref(await loadDemo(setProgress)))
    } catch (error) {
      setProblem(problemOf(error))
    }
    setProgress(undefined)
  }
  return (
    <div class={css.demo}>
      {problem === undefined && (
        <button
          type="button"
          class={isPrimary ? 'button primary' : 'button'}
          disabled={progress !== undefined}
          onClick={() => void load()}
        >
          Load the demo conversation
        </button>
      )}
      {progress !== undefined && <Progress {...progress} />}
      <ProblemNote problem={problem} onRetry={() => void load()} />
    </div>
  )
}

function Progress({ done, of }: DemoProgress) {
  const text = of === 0 ? 'beginning …' : `${done} of ${of}`
  return (
    <span class={css.progress} role="status">
      <progress {...(of > 0 && { max: of, value: done })} aria-label="Loading the demo" /> {text}
    </span>
  )
}
