import { useState } from 'preact/hooks'
import { type Problem, toProblem } from '../../api/problem.ts'
import { Button } from '../../parts/button.tsx'
import { ProblemNote } from '../../parts/notes.tsx'
import { sessionHref } from '../../route.ts'
import { type LoadedChanges, lastChange, nextChange } from './changes.ts'
import { findLastChange, findNextChange } from './find-change.ts'
import css from './time-view.module.css'
import type { SliderPosition } from './use-position.ts'

interface Props {
  readonly id: string
  readonly head: number
  readonly place: SliderPosition
  readonly known: LoadedChanges
  readonly isLoading: boolean
}

/** Buttons to step through the log and to pin a moment for comparison. */
export function TimeControls({ id, head, place, known, isLoading }: Props) {
  const { sequence, isFollowing, go, pinned, pin } = place
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const signal = () => AbortSignal.timeout(30_000)
  const goTo = (found: Promise<number | undefined>) => {
    setProblem(undefined)
    found.then(
      (to) => to !== undefined && go(to),
      (error: unknown) => setProblem(toProblem(error)),
    )
  }
  const before = lastChange(known, sequence - 1)
  const behind = nextChange(known, sequence)
  const back = () =>
    before === 'unknown' ? goTo(findLastChange(id, sequence - 1, undefined, signal())) : go(before ?? 1)
  const on = () => (behind === 'unknown' ? goTo(findNextChange(id, sequence, signal())) : go(behind ?? head))
  const isFirst = sequence <= 1
  const isLast = sequence >= head
  return (
    <>
      <div class={`row ${css.moves}`}>
        <StepButton name="First" isDisabled={isFirst} onClick={() => go(1)} />
        <StepButton name="Previous change" isDisabled={isFirst || before === undefined} onClick={back} />
        <StepButton name="Previous" isDisabled={isFirst} onClick={() => go(sequence - 1)} />
        <SequenceInput sequence={sequence} head={head} onMove={go} />
        <StepButton name="Next" isDisabled={isLast} onClick={() => go(sequence + 1)} />
        <StepButton name="Next change" isDisabled={isLast || behind === undefined} onClick={on} />
        <StepButton name="Last" isDisabled={isLast && isFollowing} onClick={() => go(head)} />
        <span class="muted small" role="status">
          {isLoading ? 'loading …' : isFollowing ? 'following the log' : ''}
        </span>
        <span class={css.end}>
          <a class="small" href={sessionHref(id, 'time', { at: sequence, with: pinned })}>
            Link to this moment
          </a>
          {pinned === undefined ? (
            <Button text="Compare with this moment" onClick={() => pin(sequence)} />
          ) : (
            <>
              <Button text={`Go to #${pinned.toLocaleString('en')}`} onClick={() => go(pinned)} />
              <Button text={`Stop comparing with #${pinned.toLocaleString('en')}`} onClick={() => pin(undefined)} />
            </>
          )}
        </span>
      </div>
      <ProblemNote problem={problem} />
    </>
  )
}

function StepButton({ name, isDisabled, onClick }: { name: string; isDisabled: boolean; onClick: () => void }) {
  // not `disabled`: the button would lose focus at the end of the log
  return <Button text={name} aria-disabled={isDisabled} onClick={() => !isDisabled && onClick()} />
}

interface SequenceInputProps {
  readonly sequence: number
  readonly head: number
  readonly onMove: (sequence: number) => void
}

/** Input for the sequence. Arriving events do not overwrite what is being typed. */
function SequenceInput({ sequence, head, onMove }: SequenceInputProps) {
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const take = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const { valueAsNumber } = currentTarget
    setTyped(undefined)
    if (Number.isInteger(valueAsNumber)) onMove(valueAsNumber)
  }
  return (
    <label class={`row single ${css.where}`}>
      <span class="hidden">Event</span>
      <input
        class="input"
        type="number"
        min={1}
        max={head}
        value={typed ?? sequence}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={take}
      />
      <span class="muted small">of {head.toLocaleString('en')}</span>
    </label>
  )
}
