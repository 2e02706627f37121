import type { FileHandle } from 'node:fs/promises'
import { isObject, type Json } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { type Chains, MAIN } from './chains.ts'
import { textAt } from './draft.ts'
import { decodeUtf8 } from './raw-source.ts'
import { type Line, type LinePosition, readLines } from './read-lines.ts'
import { SessionInfo } from './session-info.ts'
import { parseUuid } from './transcript-name.ts'
import { parseJson } from './translate-line.ts'

/** Consecutive lines of one chain. */
export interface Run extends LinePosition {
  end: number
}

/** The lines of one chain, and its facts. */
export interface ScannedChain {
  readonly runs: Run[]
  readonly info: SessionInfo
}

/** Result of scanning a file. */
export interface FileScan {
  readonly chains: ReadonlyMap<string, ScannedChain>
  /** After the last complete line. */
  readonly end: LinePosition
  /** The last line is incomplete. */
  readonly isTorn: boolean
  /** Session id from the lines. */
  readonly sessionId?: string
  /** Whether the lines look like a transcript. */
  readonly isTranscript: boolean
  /** Whether the first line is that of a Throughline export. */
  readonly isExport: boolean
  /** The file is blank or has only the start of an entry. */
  readonly isBlank: boolean
}

/** Lines without it belong to the session itself; no need to parse them. */
const SIDECHAIN = /"isSidechain"\s*:\s*true/

/** Keys of transcript lines besides their type. */
const NAMES = ['uuid', 'sessionId', 'leafUuid', 'message']

/** Blank, tab and carriage return. */
const BLANKS: readonly number[] = [0x20, 0x09, 0x0d]
const BRACE = 0x7b

/** Assigns the lines of a file to sessions. Holds no lines, only one range per change between sessions. */
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

/** Collects the results of a scan. */
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

  /** Whether more lines of the session itself can add nothing. */
  get isComplete(): boolean {
    return this.#sessionId !== undefined && this.#chains.get(MAIN)?.info.isComplete === true
  }

  /** @param value the parsed line, if it was parsed */
  add({ start, number, end, bytes }: Line, value: Json | undefined, key: string): void {
    this.#isBlank &&= bytes?.every((byte) => BLANKS.includes(byte)) === true
    const chain = this.#chains.get(key) ?? { runs: [], info: new SessionInfo() }
    this.#chains.set(key, chain)
    if (this.#last?.key !== key) {
      this.#last = { key, run: { start, number, end } }
      chain.runs.push(this.#last.run)
    }
    this.#last.run.end = end
    // after the line feed that ends it, or will
    this.#end = { start: end + 1, number: number + 1 }
    if (!isObject(value)) return
    chain.info.read(value)
    this.#isExport ||= number === 1 && value['kind'] === 'throughline-export'
    if (textAt(value, 'type') === '') return
    this.#sessionId ??= parseUuid(value['sessionId'])
    this.#isTranscript ||= NAMES.some((name) => Object.hasOwn(value, name))
  }

  /** @param torn the incomplete last line */
  survey(torn?: Line): FileScan {
    const sessionId = this.#sessionId
    const isTorn = torn !== undefined
    // an incomplete entry starts with a brace
    this.#isBlank &&= !isTorn || torn.bytes?.[0] === BRACE
    const looks = { isTranscript: this.#isTranscript, isExport: this.#isExport, isBlank: this.#isBlank }
    return defined({ chains: this.#chains, end: this.#end, isTorn, ...looks, sessionId })
  }
}
