import type { Json } from '../../api/types.ts'

/** Parses `key=value` pairs, separated by commas; `undefined` if the text has another form. */
export function parseMetadata(text: string): Readonly<Record<string, Json>> | undefined {
  const members: Record<string, Json> = {}
  for (const pair of text.split(/,(?=[^,=]+=)/)) {
    const [, key = '', value = ''] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/s.exec(pair) ?? []
    if (key === '' || value === '') return undefined
    members[key] = scalarOf(value)
  }
  return members
}

/** A number, `true`, `false`, `null` or a quoted text as in JSON, else the text itself. */
function scalarOf(text: string): Json {
  try {
    const value = JSON.parse(text) as Json
    return typeof value === 'object' && value !== null ? text : value
  } catch {
    return text
  }
}
