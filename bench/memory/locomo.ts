import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A conversation between two people, over many sessions. */
export interface Conversation {
  name: string
  sessions: { at: string; turns: { speaker: string; text: string; id: string }[] }[]
  questions: { text: string; evidence: string[]; category: number }[]
}

/** Categories of questions, in the order of the table. */
export const CATEGORIES = new Map([
  [4, 'single-hop'],
  [1, 'multi-hop'],
  [2, 'temporal'],
  [3, 'open-domain'],
  [5, 'adversarial'],
])

/**
 * Path of the data set: `LOCOMO_FILE`, else next to the project. It is for measuring only, and not part of the
 * project.
 */
export function locomoFile(): string | undefined {
  const given = process.env['LOCOMO_FILE']
  const file = given ?? fileURLToPath(new URL('../../../shared/data/locomo10.json', import.meta.url))
  return existsSync(file) ? file : undefined
}

interface Sample {
  sample_id: string
  conversation: Record<string, unknown>
  qa: { question: string; evidence: string[]; category: number }[]
}

interface Turn {
  speaker: string
  dia_id: string
  text: string
  blip_caption?: string
}

/** Reads the set without questions whose evidence is incomplete; the caption of a picture belongs to its turn. */
export function readLocomo(file: string): Conversation[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as Sample[]).map(({ sample_id, conversation, qa }) => {
    const names = Object.keys(conversation).filter((key) => /^session_\d+$/.test(key))
    const sessions = names
      .sort((a, b) => Number(a.slice(8)) - Number(b.slice(8)))
      .map((name) => ({
        at: timeOf(conversation[`${name}_date_time`] as string),
        turns: (conversation[name] as Turn[]).map(({ speaker, dia_id, text, blip_caption }) => ({
          speaker,
          id: dia_id,
          text: blip_caption === undefined ? text : `${text}\n[${blip_caption}]`,
        })),
      }))
    const known = new Set(sessions.flatMap(({ turns }) => turns.map(({ id }) => id)))
    const questions = qa
      .filter(({ evidence }) => evidence.length > 0 && evidence.every((id) => known.has(id)))
      .map(({ question, evidence, category }) => ({ text: question, evidence: [...new Set(evidence)], category }))
    return { name: sample_id, sessions, questions }
  })
}

/** "1:56 pm on 8 May, 2023", taken as UTC. */
function timeOf(written: string): string {
  const [, hour, minute, half, day, month, year] =
    /(\d+):(\d+)\s*(am|pm)\s+on\s+(\d+)\s+(\w+),?\s+(\d+)/i.exec(written) ?? []
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0)
  return new Date(`${day} ${month} ${year} ${String(hours).padStart(2, '0')}:${minute}:00 UTC`).toISOString()
}
