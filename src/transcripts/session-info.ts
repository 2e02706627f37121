import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { textAt } from './draft.ts'
import { draftsOf } from './entry-drafts.ts'
import { sanitizeText } from './sanitize.ts'
import { parseTime } from './time.ts'
import { parseCommand } from './user-text.ts'

/** Maximum characters of a task. */
const MAX_TASK = 200

/** Facts about a session from its first lines. */
export class SessionInfo {
  /** When it started. */
  at?: string
  /** The start as written in the file. */
  occurredAt?: string
  /** A user or assistant message exists. */
  hasMessages = false
  readonly facts: Record<'cwd' | 'version' | 'gitBranch' | 'slug' | 'entrypoint', string> = {
    cwd: '',
    version: '',
    gitBranch: '',
    slug: '',
    entrypoint: '',
  }
  #said?: string
  #command?: string

  /** The user's first message, else the first command. */
  get task(): string | undefined {
    return this.#said ?? this.#command
  }

  /** Whether later lines can add nothing. */
  get isComplete(): boolean {
    return this.at !== undefined && this.#said !== undefined
  }

  read(value: Json): void {
    if (!isObject(value)) return
    this.#readTime(value)
    for (const key of Object.keys(this.facts) as (keyof SessionInfo['facts'])[]) this.facts[key] ||= textAt(value, key)
    this.hasMessages ||= value['type'] === 'user' || value['type'] === 'assistant'
    if (this.#said !== undefined) return
    for (const { type, content } of draftsOf(value)) if (type === 'user_message') this.#readWords(content)
  }

  #readTime({ timestamp }: JsonObject): void {
    const at = this.at === undefined ? parseTime(timestamp) : undefined
    if (at === undefined) return
    this.at = at
    this.occurredAt = timestamp as string
  }

  #readWords(words: string): void {
    const command = parseCommand(words)
    const text = truncateTask(sanitizeText(command ?? words).trim())
    if (text === '') return
    if (command === undefined) this.#said ??= text
    else this.#command ??= text
  }
}

function truncateTask(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_TASK)]
  return characters.length <= MAX_TASK && text.length <= 2 * MAX_TASK
    ? text
    : `${characters.slice(0, MAX_TASK - 1).join('')}…`
}
