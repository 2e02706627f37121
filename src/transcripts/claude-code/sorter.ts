import { isObject, type Json } from '../../domain/json.ts'
import { textAt } from './draft.ts'

/** The chain of the session itself. */
export const MAIN = ''

/**
 * Assigns lines to chains: the session itself, and each sub-agent within it. Uses a line and those before it only, so
 * later lines change nothing.
 */
export class Chains {
  readonly #isOne: boolean
  readonly #chainOf = new Map<string, string>()
  #last = MAIN

  /** @param isOne the file belongs to one sub-agent */
  constructor(isOne: boolean) {
    this.#isOne = isOne
  }

  /** Returns the chain of a line: the agent's id, else the uuid of the chain's first entry. */
  of(value: Json, line: number): string {
    if (this.#isOne || !isObject(value) || value['isSidechain'] !== true) return MAIN
    const uuid = textAt(value, 'uuid')
    const chain = textAt(value, 'agentId') || this.#chainOf.get(textAt(value, 'parentUuid')) || this.#first(uuid, line)
    if (uuid !== '') this.#chainOf.set(uuid, chain)
    this.#last = chain
    return chain
  }

  /** An entry without a uuid belongs to the last chain. */
  #first(uuid: string, line: number): string {
    return uuid || this.#last || `line-${line}`
  }
}
