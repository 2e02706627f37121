import { truncateText } from '../graph.ts'
import { isObject, type Json } from '../json.ts'
import type { IntentReader } from './tool-intent.ts'

/** A question that a tool asks the user. */
export interface Question {
  id: string
  text: string
}

/** Maximum questions of one call, and characters of a question and of its answer. */
const MAX_QUESTIONS = 10
const MAX_QUESTION = 300
const MAX_ANSWER = 300
/** Characters of a result in which answers are looked for. */
const MAX_SEARCHED = 64 * 1024

/** Asks the user the questions under `questions`. Those with a secret answer are left out. */
export const asksUser: IntentReader = ({ questions: list }) => {
  const questions = (Array.isArray(list) ? list.slice(0, MAX_QUESTIONS) : []).flatMap((one: Json) => {
    if (!isObject(one) || one['isSecret'] === true) return []
    const { id, question } = one
    const isText = typeof question === 'string' && question.trim() !== '' && question.length <= MAX_QUESTION
    return isText ? [{ id: typeof id === 'string' ? id : '', text: question }] : []
  })
  return questions.length === 0 ? undefined : { questions }
}

/** What the user decided: each question with its answer. Questions without an answer are left out. */
export function userDecisions(questions: readonly Question[], result: string): string[] {
  const text = result.slice(0, MAX_SEARCHED)
  const byId = answersById(text)
  return questions.flatMap(({ id, text: question }) => {
    const answer = (byId === undefined ? quotedAnswer(text, question) : byId(id))?.replace(/\s+/g, ' ').trim() ?? ''
    const asked = question.replace(/\s+/g, ' ').trim()
    return answer === '' ? [] : [`${asked}${/[?:.]$/.test(asked) ? '' : ':'} ${truncateText(answer, MAX_ANSWER)}`]
  })
}

/** Claude Code: `"Which store?"="SQLite", "Which port?"="4747". You can now …`. */
function quotedAnswer(text: string, question: string): string | undefined {
  const start = text.indexOf(`"${question}"="`)
  if (start < 0) return undefined
  const rest = text.slice(start + question.length + 4)
  const end = rest.search(/"(?=[,.;]? |[,.;]?\n|[,.;]?$)/)
  return end < 0 ? undefined : rest.slice(0, end)
}

/** Codex: `{"answers":{"store":{"answers":["SQLite"]}}}`. */
function answersById(text: string): ((id: string) => string) | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const parsed: Json = JSON.parse(text)
    const answers = isObject(parsed) ? parsed['answers'] : undefined
    if (!isObject(answers)) return undefined
    return (id) => {
      const answer = Object.hasOwn(answers, id) ? answers[id] : undefined
      const list = isObject(answer) ? answer['answers'] : undefined
      return Array.isArray(list) ? list.filter((each) => typeof each === 'string').join(', ') : ''
    }
  } catch {
    return undefined
  }
}
