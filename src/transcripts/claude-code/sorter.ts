import { isObject, type Json } from '../../domain/json.ts'
import { textAt } from '../draft.ts'
import { type LineSorter, MAIN } from '../format.ts'

/** Lines without it belong to the session itself. */
const SIDECHAIN = /"isSidechain"\s*:\s*true/

/** Assigns lines to the session itself, and to each sub-agent within it. */
export class ClaudeCodeSorter implements LineSorter {
  readonly #isOne: boolean
  readonly #sessionOf = new Map<string, string>()
  #last = MAIN

  /** @param isOne the file belongs to one sub-agent */
  constructor(isOne: boolean) {
    this.#isOne = isOne
  }

  needs(text: string): boolean {
    return SIDECHAIN.test(text)
  }

  /** Returns the agent's id, else the uuid of the first entry of the chain. */
  sessionOf(value: Json, line: number): string {
    if (this.#isOne || !isObject(value) || value['isSidechain'] !== true) return MAIN
    const uuid = textAt(value, 'uuid')
    const known = textAt(value, 'agentId') || this.#sessionOf.get(textAt(value, 'parentUuid'))
    const session = known || this.#first(uuid, line)
    if (uuid !== '') this.#sessionOf.set(uuid, session)
    this.#last = session
    return session
  }

  /** An entry without a uuid belongs to the last chain. */
  #first(uuid: string, line: number): string {
    return uuid || this.#last || `line-${line}`
  }
}
