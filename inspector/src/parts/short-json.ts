import type { Json } from '../api/types.ts'

/** A text as it is, any other value as {@link shortJson}; nothing for `undefined`. */
export function shortText(value: Json | undefined, most = 200): string {
  if (typeof value !== 'string') return value === undefined ? '' : shortJson(value, most)
  return value.length > most ? `${value.slice(0, most)}…` : value
}

/** The first characters of a value as one line of JSON. Reads no more than it writes, so a huge value costs little. */
export function shortJson(value: Json | undefined, most = 160): string {
  const out = { text: '', most }
  write(out, value)
  return out.text.length > most ? `${out.text.slice(0, most)}…` : out.text
}

interface Out {
  text: string
  readonly most: number
}

const isFull = ({ text, most }: Out) => text.length > most

function write(out: Out, value: Json | undefined): void {
  if (isFull(out)) return
  if (typeof value === 'string') out.text += JSON.stringify(value.slice(0, out.most))
  else if (Array.isArray(value)) writeList(out, value)
  else if (typeof value === 'object' && value !== null) writeObject(out, value)
  else out.text += String(value)
}

function writeList(out: Out, list: readonly Json[]): void {
  out.text += '['
  for (let i = 0; i < list.length && !isFull(out); i++) {
    if (i > 0) out.text += ', '
    write(out, list[i])
  }
  out.text += ']'
}

function writeObject(out: Out, object: object): void {
  out.text += '{'
  let isFirst = true
  for (const key in object) {
    if (isFull(out)) break
    out.text += `${isFirst ? ' ' : ', '}${JSON.stringify(key.slice(0, out.most))}: `
    write(out, (object as Record<string, Json>)[key])
    isFirst = false
  }
  out.text += isFirst ? '}' : ' }'
}
