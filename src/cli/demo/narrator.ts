import type { Output } from '../output.ts'

/** One step of the walk: what happens, the call that does it, and how to show what came of it. */
export interface Step<T> {
  title: string
  /** The call as a reader would write it; several lines if need be. */
  call: string
  run(): Promise<T>
  show(result: T): Shown | Promise<Shown>
}

/** A result, for people and for programs. */
export interface Shown {
  lines: string[]
  data: unknown
}

/** Takes the step, tells of it, and gives its result for the next ones. */
export type Tell = <T>(step: Step<T>) => Promise<T>

export interface Narrator {
  readonly step: Tell
  /** Everything told so far. */
  readonly told: { step: number; title: string; call: string; result: unknown }[]
}

export function narratorTo(output: Output): Narrator {
  const told: Narrator['told'] = []
  const { say, paint } = output
  return {
    told,
    async step({ title, call, run, show }) {
      const number = told.length + 1
      say(`\n${paint('dim', String(number).padStart(2))}  ${paint('bold', title)}`)
      for (const line of call.split('\n')) say(`    ${paint('cyan', line)}`)
      const result = await run()
      const { lines, data } = await show(result)
      for (const line of lines) say(`      ${line}`)
      told.push({ step: number, title, call, result: data })
      return result
    },
  }
}
