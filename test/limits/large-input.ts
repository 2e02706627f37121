import { randomUUID } from 'node:crypto'
import type { Session, Throughline } from '../../src/index.ts'
import type { TestRequest } from '../http/samples.ts'
import { isProving } from '../proof.ts'
import { type HeavyData, type HeavyName, VISITOR } from './heavy-data.ts'
import { oddUnits, randomWords, run } from './texts.ts'

/** One request with a large legal input. */
export interface LargeInput extends Omit<TestRequest, 'body'> {
  readonly name: string
  /** Makes what the request needs, before each measurement. Its result becomes `id` in the path. */
  readonly prepare?: (tl: Throughline) => Promise<string>
  /** The body, or a function that returns it for the result of `prepare`. */
  readonly body?: unknown | ((id: string) => unknown)
  /** The status with which the server refuses it, or whether it may refuse it. @default it accepts it */
  readonly refused?: number | 'maybe'
  /** Whether to read a stream to its end. @default nobody reads it */
  readonly isRead?: true
  /** How many streams open at once. Nobody reads them. @default 1 */
  readonly streams?: number
}

/** Inputs by the name of the operation. */
export type LargeInputs = Record<string, LargeInput[]>

/** A new session. */
export const newSession = async (tl: Throughline) =>
  (await tl.sessions.create({ userId: VISITOR, chatmode: randomUUID() })).id

/** Makes a session, and brings it into a state. */
export function sessionAfter(change: (session: Session) => Promise<unknown>) {
  return async (tl: Throughline) => {
    const session = await tl.sessions.create({ userId: VISITOR, chatmode: randomUUID() })
    await change(session)
    return session.id
  }
}

/** A request with this body for a new session. */
export function forNew(name: string, body: unknown, prepare: LargeInput['prepare'] = newSession): LargeInput {
  return { name, body, prepare }
}

/** A body for each kind of long text. */
export function forTexts(length: number, bodyOf: (text: string) => unknown, prepare = newSession): LargeInput[] {
  const texts = [
    ['words', randomWords(length)] as const,
    ...oddUnits().map(([name, unit]) => [name, run(unit, length)] as const),
  ]
  return texts.map(([name, text]) => forNew(name, bodyOf(text), prepare))
}

/** Requests for the heavy sessions. */
export class HeavySessions {
  readonly #ids: HeavyData['sessions']

  constructor({ sessions }: HeavyData) {
    this.#ids = sessions
  }

  /** The same request for each of them; in `npm test` only for those that are named. */
  each(names: readonly HeavyName[], request: TestRequest = {}): LargeInput[] {
    return this.#chosen(names).map((name) => this.on(name, name, request))
  }

  /** A request for the children of one of them. */
  children(of: HeavyName, query: Record<string, string>): LargeInput {
    return { name: `children of ${of}`, query: { parent: this.#ids[of], ...query } }
  }

  /** A request for one of them. */
  on(of: HeavyName, name: string, request: Omit<LargeInput, 'name'> = {}): LargeInput {
    return { name, ...request, params: { id: this.#ids[of], ...request.params } }
  }

  /** The same request for a copy of each, or of those that are named, in a state. */
  copies(
    names: readonly HeavyName[],
    request: TestRequest = {},
    change: (session: Session) => Promise<unknown> = async () => {},
  ): LargeInput[] {
    return this.#chosen(names).map((name) => ({ name, ...request, prepare: this.copyOf(name, change) }))
  }

  /** Copies a heavy session, for a call that changes or ends it. */
  copyOf(name: HeavyName, change: (session: Session) => Promise<unknown> = async () => {}) {
    return async (tl: Throughline) => {
      const copy = await (await tl.sessions.get(this.#ids[name])).fork({ chatmode: randomUUID() })
      await change(copy)
      return copy.id
    }
  }

  #chosen(names: readonly HeavyName[]): readonly HeavyName[] {
    return isProving ? (Object.keys(this.#ids) as HeavyName[]) : names
  }
}

/** As many brackets within each other. */
export const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

/** An object of as many members with short names. */
export const distinctKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))
