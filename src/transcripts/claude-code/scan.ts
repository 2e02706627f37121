import type { FileHandle } from 'node:fs/promises'
import { isObject, type Json } from '../../domain/json.ts'
import { type Chains, MAIN } from './chains.ts'
import { textAt } from './draft.ts'
import { decodeUtf8 } from './raw-source.ts'
import { type Line, type LinePosition, readLines } from './read-lines.ts'
import { SessionInfo } from './session-info.ts'
import { parseUuid } from './transcript-name.ts'
import { parseJson } from './translate-line.ts'

/** Lines that follow each other and belong to one chain. */
export interface Run extends LinePosition {
  end: number
}

/** The lines of one chain, and what they tell of it. */
export interface ScannedChain {
  readonly runs: Run[]
  readonly info: SessionInfo
}

/** What was found in a file. */
export interface FileScan {
  readonly chains: ReadonlyMap<string, ScannedChain>
  /** Behind the last line that is whole. */
  readonly end: LinePosition
  /** The last line is being written. */
  readonly isTorn: boolean
  /** What the lines say that the session is. */
  readonly sessionId?: string
  /** Whether they look like those of a transcript. */
  readonly isTranscript: boolean
  /** Whether the first of them is that of an export of Throughline. */
  readonly isExport: boolean
  /** There is nothing in them, or the beginning of an entry. */
  readonly isBlank: boolean
}

/** Whatever has this not belongs to the session itself, and need not be parsed to know it. */
const SIDECHAIN = /"isSidechain"\s*:\s*true/

/** Keys that lines of a transcript have beside their type. */
const NAMES = ['uuid', 'sessionId', 'leafUuid', 'message']

/** Blank, tab and carriage return. */
const BLANKS: readonly number[] = [0x20, 0x09, 0x0d]
const BRACE = 0x7b

/** Finds out which lines of a file belong to which session. Holds no lines, and little for each change between sessions. */
export async function scanFile(
  file: FileHandle,
  { chains, from, end, longest }: { chains: Chains; from: LinePosition; end: number; longest: number },
): Promise<FileScan> {
  const found = new Scanner(from)
  for await (const line of readLines(file, from, end, longest)) {
    const text = line.bytes && decodeUtf8(line.bytes)
    const isNeeded = text !== undefined && (!found.isComplete || !line.isEnded || SIDECHAIN.test(text))
    const value = isNeeded ? parseJson(text) : undefined
    if (!line.isEnded && !isObject(value)) return found.survey(line)
    found.add(line, value, value === undefined ? MAIN : chains.of(value, line.number))
  }
  return found.survey()
}

/** What was found so far. */
class Scanner {
  readonly #chains = new Map<string, ScannedChain>()
  #end: LinePosition
  #last: { readonly key: string; readonly run: Run } | undefined
  #sessionId: string | undefined
  #isTranscript = false
  #isExport = false
  #isBlank = true

  constructor(from: LinePosition) {
    this.#end = from
  }

  /** Whether other lines of the session itself can tell no more. */
  get isComplete(): boolean {
    return this.#sessionId !== undefined && this.#chains.get(MAIN)?.info.isComplete === true
  }

  /** @param value what the line says, where that was looked at */
  add({ start, number, end, bytes }: Line, value: Json | undefined, key: string): void {
    this.#isBlank &&= bytes?.every((byte) => BLANKS.includes(byte)) === true
    const chain = this.#chains.get(key) ?? { runs: [], info: new SessionInfo() }
    this.#chains.set(key, chain)
    if (this.#last?.key !== key) {
      this.#last = { key, run: { start, number, end } }
      chain.runs.push(this.#last.run)
    }
    this.#last.run.end = end
    // behind the line feed that ends it, or will
    this.#end = { start: end + 1, number: number + 1 }
    if (!isObject(value)) return
    chain.info.read(value)
    this.#isExport ||= number === 1 && value['kind'] === 'throughline-export'
    if (textAt(value, 'type') === '') return
    this.#sessionId ??= parseUuid(value['sessionId'])
    this.#isTranscript ||= NAMES.some((name) => Object.hasOwn(value, name))
  }

  /** @param torn the last line, where it is being written */
  survey(torn?: Line): FileScan {
    const sessionId = this.#sessionId
    const isTorn = torn !== undefined
    // an entry that is being written begins like one
    this.#isBlank &&= !isTorn || torn.bytes?.[0] === BRACE
    const looks = { isTranscript: this.#isTranscript, isExport: this.#isExport, isBlank: this.#isBlank }
    return { chains: this.#chains, end: this.#end, isTorn, ...looks, ...(sessionId !== undefined && { sessionId }) }
  }
}
