import type { Json, JsonObject } from '../../api/types.ts'
import { isObject } from '../../domain.ts'

/** A field of a form, or a group of fields. */
export interface FormField {
  /** `group`: an object; `lines`: a list of texts, one per line; `json`: anything else, as JSON text. */
  readonly kind: 'group' | 'text' | 'number' | 'boolean' | 'choice' | 'lines' | 'json'
  /** Names from the value to here. */
  readonly path: readonly string[]
  /** The path as the server names it: `value.amount`. */
  readonly name: string
  readonly label: string
  readonly isRequired: boolean
  readonly hint?: string
  /** What is filled in at first, as text. */
  readonly initial?: string
  /** Only whole numbers. */
  readonly isWhole?: boolean
  readonly choices?: readonly Json[]
  /** Of a group. */
  readonly fields?: readonly FormField[]
}

/** What was typed, by the name of the field. */
export type Draft = Readonly<Record<string, string>>

/** A field whose text is not what it should be. */
export class InputError extends Error {
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** Groups within groups. Deeper objects are filled in as JSON. */
const MAX_DEPTH = 4

/** The form for a value that fits the schema. */
export function formFor(schema: JsonObject | undefined): FormField {
  return fieldFor(schema ?? {}, [], true)
}

function fieldFor(schema: JsonObject, path: readonly string[], isRequired: boolean): FormField {
  const { title, description, default: usual } = schema
  const shared = {
    path,
    name: ['value', ...path].join('.'),
    label: typeof title === 'string' ? title : (path.at(-1) ?? 'Value'),
    isRequired,
    ...(typeof description === 'string' && { hint: description }),
  }
  const kind = kindOf(schema, path.length)
  if (kind === 'group') return { ...shared, kind, fields: fieldsOf(schema, path) }
  const initial = usual === undefined ? undefined : initialText(kind, usual)
  return {
    ...shared,
    kind,
    ...(initial !== undefined && { initial }),
    ...(schema['type'] === 'integer' && { isWhole: true }),
    ...(kind === 'choice' && { choices: schema['enum'] as Json[] }),
  }
}

function kindOf(schema: JsonObject, depth: number): FormField['kind'] {
  const { type, enum: choices, items, properties, anyOf, oneOf, allOf, $ref } = schema
  if (anyOf !== undefined || oneOf !== undefined || allOf !== undefined || $ref !== undefined) return 'json'
  if (Array.isArray(choices)) return 'choice'
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'boolean') return 'boolean'
  if (type === 'object' && isObject(properties) && schema['additionalProperties'] !== true && depth < MAX_DEPTH) {
    return Object.keys(properties).length > 0 ? 'group' : 'json'
  }
  if (type === 'array' && isObject(items) && kindOf(items, depth) === 'text') return 'lines'
  return 'json'
}

function fieldsOf({ properties, required }: JsonObject, path: readonly string[]): FormField[] {
  const names = Array.isArray(required) ? required : []
  return Object.entries(properties as JsonObject).map(([key, schema]) =>
    fieldFor(isObject(schema) ? schema : {}, [...path, key], names.includes(key)),
  )
}

function initialText(kind: FormField['kind'], usual: Json): string {
  if (kind === 'lines' && Array.isArray(usual)) return usual.join('\n')
  return kind === 'text' && typeof usual === 'string' ? usual : JSON.stringify(usual)
}

/** The text of a field: what was typed, else what is filled in at first. */
export function textIn(draft: Draft, { name, initial = '' }: FormField): string {
  return draft[name] ?? initial
}

/** The value that was filled in; `undefined` where nothing was. Throws {@link InputError}. */
export function valueIn(field: FormField, draft: Draft): Json | undefined {
  if (field.kind === 'group') return groupIn(field, draft)
  const text = textIn(draft, field)
  // an empty text may be meant, but not where nothing is required
  if (text === '' && field.kind === 'text') return field.isRequired && field.path.length > 0 ? '' : undefined
  if (field.kind === 'lines') {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    return lines.length > 0 || field.isRequired ? lines : undefined
  }
  if (text.trim() === '') return undefined
  return field.kind === 'text' ? text : parsed(field, text)
}

function parsed({ kind, name }: FormField, text: string): Json {
  try {
    const value = JSON.parse(text) as Json
    if (kind !== 'number' || typeof value === 'number') return value
  } catch {
    // said below
  }
  throw new InputError(name, kind === 'number' ? 'This must be a number.' : 'This must be JSON.')
}

/** An optional group in which nothing was filled in is left out. */
function groupIn(group: FormField, draft: Draft): JsonObject | undefined {
  if (!group.isRequired && !isFilled(group, draft)) return undefined
  const members = (group.fields ?? []).flatMap((field) => {
    const value = valueIn(field, draft)
    return value === undefined ? [] : [[field.path.at(-1) ?? '', value] as const]
  })
  return Object.fromEntries(members)
}

function isFilled(field: FormField, draft: Draft): boolean {
  return field.fields?.some((inner) => isFilled(inner, draft)) ?? textIn(draft, field).trim() !== ''
}

/** The field that the server's path is of, or is in: `value.notes` for `value.notes[1]`. */
export function fieldAt(field: FormField, wrong: string): FormField | undefined {
  const isIn = wrong === field.name || wrong.startsWith(`${field.name}.`) || wrong.startsWith(`${field.name}[`)
  if (!isIn) return undefined
  for (const inner of field.fields ?? []) {
    const found = fieldAt(inner, wrong)
    if (found !== undefined) return found
  }
  return field
}
