import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import type { RecallItem, Throughline } from '../../dist/index.js'
import type { Conversation } from './locomo.ts'

/** Requested hits; the first 2,000 tokens hold fewer. */
const LIMIT = 200
const BUDGET = 2000

/** Sums over `count` questions. */
export interface Sums {
  count: number
  r5: number
  r10: number
  ndcg10: number
  r2000: number
}

export const MEASURES = ['r5', 'r10', 'ndcg10', 'r2000'] as const

/** A question with the turns it found, best first. */
export interface AnsweredQuestion {
  category: number
  evidence: readonly string[]
  hits: { id: string; tokens: number }[]
}

/** Stores a conversation: one session per session, one message per turn, all of one user. */
export async function ingest(tl: Throughline, { name, sessions }: Conversation): Promise<Map<string, string>> {
  const turnAt = new Map<string, string>()
  for (const [n, { at, turns }] of sessions.entries()) {
    // the same ids in every store, because they break ties
    const session = await tl.sessions.create({ userId: name, id: idOf(name, n) })
    const first = turns[0]?.speaker
    const events = await session.append(
      turns.map(({ speaker, text }) => ({
        type: speaker === first ? 'user_message' : 'model_message',
        content: text,
        agentId: speaker,
        occurredAt: at,
      })),
    )
    for (const [i, event] of events.entries()) turnAt.set(`${session.id} ${event.sequence}`, turns[i]?.id ?? '')
  }
  return turnAt
}

function idOf(name: string, session: number): string {
  const digits = name.replace(/\D/g, '').padStart(4, '0').slice(-4)
  return `00000000-${digits}-7000-8000-${String(session).padStart(12, '0')}`
}

/** Asks every question of a conversation. */
export async function runQuestions(
  tl: Throughline,
  told: Conversation,
  turnAt: Map<string, string>,
): Promise<AnsweredQuestion[]> {
  const answered: AnsweredQuestion[] = []
  for (const { text, evidence, category } of told.questions) {
    const { items } = await tl.recall({ userId: told.name, query: text, limit: LIMIT })
    const hit = ({ sessionId, sequence, content }: RecallItem) => ({
      id: turnAt.get(`${sessionId} ${sequence}`) ?? '',
      tokens: encode(content).length,
    })
    answered.push({ category, evidence, hits: items.map(hit) })
  }
  return answered
}

/** Sums of all questions under 0, and of each category under its number. */
export function sumScores(answered: readonly AnsweredQuestion[]): Map<number, Sums> {
  const sums = new Map<number, Sums>()
  for (const { category, evidence, hits } of answered) {
    const scores = scoresOf(evidence, hits)
    for (const key of [0, category]) {
      const sum = sums.get(key) ?? { count: 0, r5: 0, r10: 0, ndcg10: 0, r2000: 0 }
      sums.set(key, sum)
      sum.count++
      for (const measure of MEASURES) sum[measure] += scores[measure]
    }
  }
  return sums
}

function scoresOf(evidence: readonly string[], hits: AnsweredQuestion['hits']): Omit<Sums, 'count'> {
  const share = (list: AnsweredQuestion['hits']) =>
    evidence.filter((id) => list.some((hit) => hit.id === id)).length / evidence.length
  const gain = (rank: number) => 1 / Math.log2(rank + 2)
  const ideal = evidence.slice(0, 10).reduce((sum, _, rank) => sum + gain(rank), 0)
  const found = hits.slice(0, 10).reduce((sum, { id }, rank) => sum + (evidence.includes(id) ? gain(rank) : 0), 0)
  return {
    r5: share(hits.slice(0, 5)),
    r10: share(hits.slice(0, 10)),
    ndcg10: found / ideal,
    r2000: share(within(hits)),
  }
}

/** The first hits that stay within the budget together. */
function within(hits: AnsweredQuestion['hits']): AnsweredQuestion['hits'] {
  let tokens = 0
  const end = hits.findIndex((hit) => {
    tokens += hit.tokens
    return tokens > BUDGET
  })
  return end < 0 ? hits : hits.slice(0, end)
}
