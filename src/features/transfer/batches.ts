import type { ExportedEvent, ImportOptions, ImportReport, SessionBlock } from '../../api.ts'
import { type ThroughlineError, ValidationError } from '../../domain/errors.ts'
import { parse } from '../kernel/parse.ts'
import { BLOCK } from './checksum.ts'
import { importOptions, MOST_BLOCKS } from './schema.ts'

/** The outcome of a block. */
export type BlockOutcome = TakenBlock | RefusedBlock

export interface TakenBlock {
  sessionId: string
  /** Events of the block. */
  events: number
  /** Events that were new here. */
  written: number
  /** The outcome for the session, once it is complete. */
  became?: 'created' | 'extended' | 'unchanged'
}

export interface RefusedBlock {
  sessionId: string
  code: string
  message: string
}

/** The outcome of a refused block, whatever it contains. */
export function refusedBlock(block: unknown, { code, message }: ThroughlineError): RefusedBlock {
  return { sessionId: sessionIdIn(block), code, message }
}

/** Empty if the block names none. */
export function sessionIdIn(block: unknown): string {
  const { sessionId: id } = (block ?? {}) as Partial<SessionBlock>
  return typeof id === 'string' ? id.slice(0, 64) : ''
}

/** Batches of different sessions in flight at the same time. */
const AT_ONCE = 2

/** Imports batch by batch, locally or over HTTP. Blocks read before the source failed are still imported. */
export async function importAll(
  send: (blocks: readonly SessionBlock[]) => Promise<readonly BlockOutcome[]>,
  blocks: AsyncIterable<SessionBlock> | Iterable<SessionBlock>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  parse(importOptions, options)
  requireIterable(blocks)
  const summary = new Summary(options)
  const sender = new Sender(async (batch) => summary.add(await send(batch)))
  let batch = new Batch()
  const flush = async () => {
    const full = batch
    batch = new Batch()
    if (full.blocks.length > 0) await sender.send(full)
  }
  try {
    let place = 0
    for await (const block of blocks) {
      const field = `blocks[${place++}]`
      if (!isBlock(block)) {
        summary.add([refusedBlock(block, new ValidationError(field, 'must be a block, { sessionId, events, done }'))])
        continue
      }
      for (const piece of piecesOf(block)) {
        if (summary.isRefused(piece.sessionId)) continue
        const size = sizeOf(piece.events)
        if (!batch.hasRoomFor(piece, size)) await flush()
        batch.add(piece, size)
      }
    }
  } finally {
    await flush()
    await sender.settled()
  }
  return summary.report
}

function requireIterable(blocks: unknown): void {
  const { [Symbol.asyncIterator]: later, [Symbol.iterator]: now } = Object(blocks) as AsyncIterable<unknown> &
    Iterable<unknown>
  if (typeof (later ?? now) === 'function') return
  throw new ValidationError('blocks', 'must be a list or an async iterable of blocks')
}

/** Whether it can go into a batch. The importer checks its content. */
function isBlock(block: unknown): block is SessionBlock {
  const { sessionId, events } = (block ?? {}) as Partial<SessionBlock>
  return typeof sessionId === 'string' && Array.isArray(events)
}

class Batch {
  readonly blocks: SessionBlock[] = []
  readonly sessions = new Set<string>()
  #events = 0
  #size = 0

  hasRoomFor({ events }: SessionBlock, size: number): boolean {
    if (this.blocks.length === 0) return true
    if (this.blocks.length === MOST_BLOCKS) return false
    return this.#events + events.length <= BLOCK.events && this.#size + size <= BLOCK.bytes
  }

  add(block: SessionBlock, size: number): void {
    this.blocks.push(block)
    this.sessions.add(block.sessionId)
    this.#events += block.events.length
    this.#size += size
  }
}

/** Blocks made by callers may have any size. */
function* piecesOf(block: SessionBlock): Generator<SessionBlock> {
  const { sessionId, events, done } = block
  if (events.length <= BLOCK.events && sizeOf(events) <= BLOCK.bytes) {
    yield block
    return
  }
  let from = 0
  let size = 0
  for (const [i, event] of events.entries()) {
    const more = sizeOf([event])
    if (i > from && (i - from === BLOCK.events || size + more > BLOCK.bytes)) {
      yield { sessionId, events: events.slice(from, i), done: false }
      from = i
      size = 0
    }
    size += more
  }
  yield { sessionId, events: events.slice(from), done }
}

function sizeOf(events: readonly ExportedEvent[]): number {
  let size = 0
  for (const event of events) {
    if (typeof event?.content === 'string') size += event.content.length
    if (event?.parts !== undefined) size += jsonSize(event.parts)
  }
  return size
}

/**
 * Characters that a name and a value count for: a body may have a million values, and 60,000 different names, that is
 * one in 70 characters of a batch.
 */
const WEIGHT = { name: 80, value: 4 }

/** 0 for what is not JSON: the importer refuses it. */
function jsonSize(parts: unknown): number {
  try {
    const text = JSON.stringify(parts) ?? ''
    return text.length + WEIGHT.name * occurrences(text, '":') + WEIGHT.value * occurrences(text, ',')
  } catch {
    return 0
  }
}

function occurrences(text: string, mark: string): number {
  let count = 0
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count++
  return count
}

/** Sends batches, a few at a time. Batches of one session go in order. */
class Sender {
  readonly #work: (blocks: readonly SessionBlock[]) => Promise<void>
  readonly #underWay = new Map<Promise<void>, ReadonlySet<string>>()
  #failed: { error: unknown } | undefined

  constructor(work: (blocks: readonly SessionBlock[]) => Promise<void>) {
    this.#work = work
  }

  async send({ blocks, sessions }: Batch): Promise<void> {
    const hasToWait = () =>
      this.#underWay.size >= AT_ONCE ||
      [...this.#underWay.values()].some((others) => [...sessions].some((id) => others.has(id)))
    while (hasToWait()) await Promise.race(this.#underWay.keys())
    this.#check()
    const sent: Promise<void> = this.#work(blocks)
      .catch((error: unknown) => {
        this.#failed ??= { error }
      })
      .finally(() => this.#underWay.delete(sent))
    this.#underWay.set(sent, sessions)
  }

  async settled(): Promise<void> {
    await Promise.all(this.#underWay.keys())
    this.#check()
  }

  #check(): void {
    if (this.#failed !== undefined) throw this.#failed.error
  }
}

class Summary {
  readonly report: ImportReport = { sessions: 0, created: 0, extended: 0, unchanged: 0, events: 0, refused: [] }
  readonly #refused = new Set<string>()
  readonly #onProgress: ImportOptions['onProgress']
  #events = 0

  constructor({ onProgress }: ImportOptions) {
    this.#onProgress = onProgress
  }

  isRefused(sessionId: string): boolean {
    return this.#refused.has(sessionId)
  }

  add(outcomes: readonly BlockOutcome[]): void {
    for (const outcome of outcomes) {
      if ('code' in outcome) this.#refuse(outcome)
      else this.#take(outcome)
    }
    this.#onProgress?.({ sessions: this.report.sessions, events: this.#events })
  }

  #take({ events, written, became }: TakenBlock): void {
    this.#events += events
    this.report.events += written
    if (became === undefined) return
    this.report.sessions++
    this.report[became]++
  }

  #refuse(refused: RefusedBlock): void {
    // count the session once, whatever its later blocks lead to
    if (this.#refused.has(refused.sessionId)) return
    if (refused.sessionId !== '') this.#refused.add(refused.sessionId)
    this.report.refused.push(refused)
  }
}
