import type { SessionRecord } from '../../api/types.ts'
import { foldText } from '../../parts/fold-text.ts'
import { statusText } from '../../parts/status.tsx'

/** Characters of task and metadata that are searched: both may have 64 KiB, in thousands of sessions. */
const MOST = 2000

const texts = new WeakMap<SessionRecord, string>()

/** The words of a search; a session must contain all of them. */
export function wordsOf(search: string): string[] {
  return foldText(search)
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** Whether the session contains every word. */
export function matchesSearch(record: SessionRecord, words: readonly string[]): boolean {
  const text = texts.get(record) ?? textOf(record)
  texts.set(record, text)
  return words.every((word) => text.includes(word))
}

function textOf(record: SessionRecord): string {
  const { id, task = '', userId, tenant, activeAgent, conversationId, chatmode, workflow, skill, gitBranch } = record
  const names = [id, userId, tenant, activeAgent, conversationId, chatmode, workflow, skill, gitBranch]
  const long = [task, statusText(record.status), JSON.stringify(record.metadata)].map((text) => text.slice(0, MOST))
  return foldText([...names, ...long].join('\n'))
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The session id, if the text is one. */
export function idIn(search: string): string | undefined {
  const text = search.trim()
  return UUID.test(text) ? text.toLowerCase() : undefined
}
