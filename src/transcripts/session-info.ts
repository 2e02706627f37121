import { hash } from 'node:crypto'
import { isObject, type Json, type JsonObject } from '../domain/json.ts'
import type { Facts, TranscriptFormat, Translation } from './format.ts'
import { sanitizeText } from './sanitize.ts'
import { parseTime } from './time.ts'

/** Maximum characters of a task. */
const MAX_TASK = 200

/** Facts about a session from its first lines. */
export class SessionInfo {
  /** When it started. */
  at?: string
  /** The start as written in the file. */
  occurredAt?: string
  /** A user or model message exists. */
  hasMessages = false
  readonly facts: Facts = {}
  /** Hash of the first user message. */
  promptHash?: string
  readonly #parseCommand: TranscriptFormat['parseCommand']
  #said?: string
  #command?: string

  constructor({ parseCommand }: Pick<TranscriptFormat, 'parseCommand'>) {
    this.#parseCommand = parseCommand
  }

  /** The user's first message, else the first command. */
  get task(): string | undefined {
    return this.#said ?? this.#command
  }

  /** Whether later lines can add nothing. */
  get isComplete(): boolean {
    return this.at !== undefined && this.#said !== undefined
  }

  read(value: Json, { drafts, facts = {} }: Translation): void {
    if (isObject(value)) this.#readTime(value)
    addFacts(this.facts, facts)
    for (const { type, content } of drafts) {
      this.hasMessages ||= type === 'user_message' || type === 'model_message'
      if (type === 'user_message') this.#readWords(content)
    }
  }

  #readTime({ timestamp }: JsonObject): void {
    const at = this.at === undefined ? parseTime(timestamp) : undefined
    if (at === undefined) return
    this.at = at
    this.occurredAt = timestamp as string
  }

  #readWords(words: string): void {
    this.promptHash ??= hashPrompt(words)
    if (this.#said !== undefined) return
    const command = this.#parseCommand?.(words)
    const text = truncateTask(sanitizeText(command ?? words).trim())
    if (text === '') return
    if (command === undefined) this.#said ??= text
    else this.#command ??= text
  }
}

/** Adds the facts that are not known yet. */
export function addFacts(facts: Facts, more: Facts): void {
  for (const [name, value] of Object.entries(more)) {
    if (value !== '') facts[name as keyof Facts] ??= value
  }
}

/** Hash by which the prompt of a tool call and the first message of a sub-agent are compared. */
export function hashPrompt(text: string): string {
  return hash('sha256', text.trim(), 'base64')
}

function truncateTask(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_TASK)]
  return characters.length <= MAX_TASK && text.length <= 2 * MAX_TASK
    ? text
    : `${characters.slice(0, MAX_TASK - 1).join('')}…`
}
