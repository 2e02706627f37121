import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { cleanedText } from './cleaned.ts'
import { textIn } from './draft.ts'
import { draftsOf } from './entry.ts'
import { commandIn } from './speech.ts'
import { momentOf } from './time.ts'

/** Characters of a task. */
const TASK = 200

/** What the first lines of a session tell of it. */
export class Head {
  /** When it began. */
  at?: string
  /** The same as it is written. */
  occurredAt?: string
  /** Something was said. */
  isBegun = false
  readonly facts: Record<'cwd' | 'version' | 'gitBranch' | 'slug' | 'entrypoint', string> = {
    cwd: '',
    version: '',
    gitBranch: '',
    slug: '',
    entrypoint: '',
  }
  #said?: string
  #command?: string

  /** First thing the user said, or the first command where nothing was. */
  get task(): string | undefined {
    return this.#said ?? this.#command
  }

  /** Whether lines that come later can tell no more that matters. */
  get isComplete(): boolean {
    return this.at !== undefined && this.#said !== undefined
  }

  read(value: Json): void {
    if (!isObject(value)) return
    this.#readTime(value)
    for (const key of Object.keys(this.facts) as (keyof Head['facts'])[]) this.facts[key] ||= textIn(value, key)
    this.isBegun ||= value['type'] === 'user' || value['type'] === 'assistant'
    if (this.#said !== undefined) return
    for (const { type, content } of draftsOf(value)) if (type === 'user_message') this.#readWords(content)
  }

  #readTime({ timestamp }: JsonObject): void {
    const at = this.at === undefined ? momentOf(timestamp) : undefined
    if (at === undefined) return
    this.at = at
    this.occurredAt = timestamp as string
  }

  #readWords(words: string): void {
    const command = commandIn(words)
    const text = clipped(cleanedText(command ?? words).trim())
    if (text === '') return
    if (command === undefined) this.#said ??= text
    else this.#command ??= text
  }
}

function clipped(text: string): string {
  const characters = [...text.slice(0, 2 * TASK)]
  return characters.length <= TASK && text.length <= 2 * TASK ? text : `${characters.slice(0, TASK - 1).join('')}…`
}
