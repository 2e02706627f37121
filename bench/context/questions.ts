import { readFileSync } from 'node:fs'
import type { PartTable } from '../part.ts'
import type { Row } from '../table.ts'
import type { Sample } from './replay.ts'
import { budgetName, budgets } from './summary.ts'

/** What an agent that continues a session would ask about it. */
interface Question {
  /** Id of the transcript. */
  session: string
  kind: 'asked' | 'done' | 'open'
  /** Third of the transcript with the answers. */
  part: 'early' | 'middle' | 'late'
  question: string
  /** Lines of the transcript, and a phrase of each that a context with the answer contains. */
  answers: { uuid: string; phrase: string }[]
}

const QUESTIONS = readFileSync(new URL('questions.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Question)

/** X7: the share of answers that the final context contains, for the transcripts with questions. */
export function questionTables(samples: readonly Sample[]): PartTable[] {
  const finals = samples.filter(({ isFinal }) => isFinal)
  const asked = QUESTIONS.filter(({ session }) => finals.some(({ recording }) => recording === session))
  if (asked.length === 0) return []
  const [smallest, ...others] = budgets()
  if (smallest === undefined) return []
  const row = (name: string, isPart: (question: Question) => boolean): Row => {
    const share = (view: Sample['view']) => {
      const found = asked.filter(isPart).flatMap(({ session, answers }) => {
        const text = finals.find((final) => final.recording === session && final.view === view)?.text ?? ''
        return answers.map(({ phrase }) => text.includes(phrase))
      })
      return { percent: (100 * found.filter(Boolean).length) / found.length, count: found.length }
    }
    const columns = Object.fromEntries(others.map((view) => [budgetName(view), share(view).percent]))
    const { percent, count } = share(smallest)
    return { name, kind: 'throughline', value: percent, columns: { ...columns, answers: count }, note: '' }
  }
  const rows = [
    ...(['asked', 'done', 'open'] as const).map((kind) => row(kind, (question) => question.kind === kind)),
    ...(['early', 'middle', 'late'] as const).map((part) => row(part, (question) => question.part === part)),
    row('all', () => true),
  ]
  return [{ id: 'X7', title: '% of answers in the final context', by: 'value', unit: budgetName(smallest), rows }]
}
