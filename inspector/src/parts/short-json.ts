import type { Json } from '../api/types.ts'

/** The first characters of a value as JSON on one line. Looks no further than it writes, however large the value is. */
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
