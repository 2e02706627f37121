import { isObject, type Json } from '../../domain/json.ts'
import { textAt } from './draft.ts'

/** The chain of the session itself. */
export const MAIN = ''

/**
 * Which lines of a file belong together: those of the session, and those of each sub-agent that worked within it. A line is told by itself and by
 * those before it, so that what comes later changes nothing.
 */
export class Chains {
  readonly #isOne: boolean
  readonly #chainOf = new Map<string, string>()
  #last = MAIN

  /** @param isOne the file is one sub-agent's own */
  constructor(isOne: boolean) {
    this.#isOne = isOne
  }

  /** Key of the chain that a line belongs to: the id of the agent, or else the uuid of the chain's first entry. */
  of(value: Json, line: number): string {
    if (this.#isOne || !isObject(value) || value['isSidechain'] !== true) return MAIN
    const uuid = textAt(value, 'uuid')
    const chain = textAt(value, 'agentId') || this.#chainOf.get(textAt(value, 'parentUuid')) || this.#first(uuid, line)
    if (uuid !== '') this.#chainOf.set(uuid, chain)
    this.#last = chain
    return chain
  }

  /** An entry without a name stands where the last one stood. */
  #first(uuid: string, line: number): string {
    return uuid || this.#last || `line-${line}`
  }
}
