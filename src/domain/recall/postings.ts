/** Encodes postings as bytes in blocks of turns; encoded postings can be concatenated. */

import type { Posting } from './term-matches.ts'

/** Version of the text analysis. An index of another version is rebuilt. */
export const ANALYSIS_VERSION = 1
/** Turns in one block. */
export const BLOCK_TURNS = 256

/** Returns the block of a turn. */
export function blockOfTurn(turn: number): number {
  return Math.floor(turn / BLOCK_TURNS)
}

type Entry = Pick<Posting, 'turn' | 'length' | 'asks' | 'places'>

/** Encodes one message; later messages of the block are appended. */
export function encodePosting({ turn, length, asks, places }: Entry): Uint8Array {
  const bytes: number[] = []
  putVarint(bytes, turn % BLOCK_TURNS)
  putVarint(bytes, length * 2 + (asks ? 1 : 0))
  putVarint(bytes, places.length)
  let last = 0
  for (const place of places) {
    putVarint(bytes, place - last)
    last = place
  }
  return Uint8Array.from(bytes)
}

/** Decodes the messages of one block. */
export function decodePostings(session: string, block: number, data: Uint8Array): Posting[] {
  const found: Posting[] = []
  let at = 0
  const take = () => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = data[at++] ?? 0
      value += (byte % 128) * scale
      if (byte < 128) return value
    }
  }
  while (at < data.length) {
    const turn = block * BLOCK_TURNS + take()
    const length = take()
    const places = new Array<number>(take())
    let last = 0
    for (let i = 0; i < places.length; i++) {
      last += take()
      places[i] = last
    }
    found.push({ session, turn, length: Math.floor(length / 2), asks: length % 2 === 1, places })
  }
  return found
}

/** Seven bits per byte, lowest first; the highest bit means more follow. */
function putVarint(bytes: number[], value: number): void {
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  bytes.push(rest)
}
