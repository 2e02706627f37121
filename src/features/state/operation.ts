import type { WriteOptions } from '../../api.ts'
import { SessionNotFoundError, ValidationError } from '../../domain/errors.ts'
import type { SessionScratchpad } from '../../domain/fold.ts'
import { isObject, type Json, type JsonObject, parseJsonInput } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isChangeNeeded, SCRATCHPAD_DEPTH, type Scratchpad, type StateChange } from '../../domain/scratchpad.ts'
import { type Draft, decideOn, decideOnScratchpad } from '../kernel/decide.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { addInput, gateInput, incrementInput } from './schema.ts'

/** The current scratchpad. */
export async function sessionState(deps: Deps, id: string): Promise<SessionScratchpad> {
  const state = await deps.store.state(keyOf(deps, id))
  if (state === undefined) throw new SessionNotFoundError(id)
  return state
}

/** Merges a patch into the scratchpad (RFC 7396). */
export async function updateState(
  deps: Deps,
  id: string,
  input: unknown,
  options: WriteOptions = {},
): Promise<SessionScratchpad> {
  const { idempotencyKey } = parse(writeOptions, options)
  const change = { op: 'merge', patch: objectIn(input, 'patch') } as const
  return await changeState(deps, id, change, (key) => `patch.${key}`, idempotencyKey)
}

/** Replaces the scratchpad. */
export async function replaceState(
  deps: Deps,
  id: string,
  input: unknown,
  options: WriteOptions = {},
): Promise<SessionScratchpad> {
  const { idempotencyKey } = parse(writeOptions, options)
  const change = { op: 'replace', value: objectIn(input, 'value') } as const
  return await changeState(deps, id, change, (key) => `value.${key}`, idempotencyKey)
}

/** Adds a value to a list, unless the list already has it. */
export async function addToState(deps: Deps, id: string, input: AddInput): Promise<SessionScratchpad> {
  const { key, value, idempotencyKey } = parse(addInput, input)
  // in the scratchpad it is nested two levels deeper: key and list
  const change = { op: 'add', key, value: jsonIn(value, 'value', SCRATCHPAD_DEPTH + 2) } as const
  return await changeState(deps, id, change, () => 'value', idempotencyKey)
}

interface AddInput extends WriteOptions {
  key: string
  value: unknown
}

/** Adds to a number; a missing one counts as 0. */
export async function incrementState(deps: Deps, id: string, input: IncrementInput): Promise<SessionScratchpad> {
  const { key, by, idempotencyKey } = parse(incrementInput, input)
  return await changeState(deps, id, { op: 'increment', key, by }, () => 'key', idempotencyKey)
}

interface IncrementInput extends WriteOptions {
  key: string
  by?: number | undefined
}

/** Records a passed gate as an event and in the scratchpad, in one append. */
export async function passGate(deps: Deps, id: string, input: GateInput): Promise<SessionScratchpad> {
  const { gate, note, idempotencyKey } = parse(gateInput, input)
  const passed: Draft =
    note === undefined
      ? { type: 'validation_gate', content: `Gate ${gate} passed`, parts: { gate, noted: false } }
      : { type: 'validation_gate', content: note, parts: { gate } }
  const change: StateChange = { op: 'add', key: 'validation_gates_passed', value: gate }
  const { view } = await decideOn(
    deps,
    id,
    ({ state }) => [passed, ...draftsOf(state.scratchpad, change, (key) => key)],
    { command: ['passGate', gate, note], idempotencyKey },
  )
  return view.state
}

interface GateInput extends WriteOptions {
  gate: number
  note?: string | undefined
}

async function changeState(
  deps: Deps,
  id: string,
  change: StateChange,
  field: (key: string) => string,
  idempotencyKey: string | undefined,
): Promise<SessionScratchpad> {
  const { view } = await decideOnScratchpad(deps, id, ({ state }) => draftsOf(state.scratchpad, change, field), {
    command: [change],
    idempotencyKey,
  })
  return view.state
}

const CONTENTS: Record<StateChange['op'], string> = {
  merge: 'Scratchpad updated',
  replace: 'Scratchpad replaced',
  add: 'Added to the scratchpad',
  increment: 'Counted in the scratchpad',
}

function draftsOf(scratchpad: Scratchpad, change: StateChange, field: (key: string) => string): Draft[] {
  if (!isChangeNeeded(scratchpad, change, field)) return []
  return [{ type: 'state_changed', content: CONTENTS[change.op], parts: change }]
}

function objectIn(input: unknown, field: string): JsonObject {
  const value = jsonIn(input, field, SCRATCHPAD_DEPTH)
  if (!isObject(value)) throw new ValidationError(field, 'must be a JSON object')
  return value
}

function jsonIn(input: unknown, field: string, depth: number): Json {
  return parseJsonInput(input, field, LIMITS.scratchpad, depth)
}
