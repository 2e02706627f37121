import type { z } from 'zod/mini'
import type { Observe } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import type { Edge, Observation } from '../../domain/graph.ts'
import { LIMITS } from '../../domain/limits.ts'
import { nodeCrypto } from '../kernel/crypto.ts'
import type { Deps } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { command, edges, fileRead, fileWrite, noteText, observationInput } from './schema.ts'
import type { Staging } from './staging.ts'

/** Observes the work; observations stay in this process until the next step. */
export function observeOn({ staging, newId }: Pick<Deps, 'staging' | 'newId'>, id: string): Observe {
  const stage = (observation: Observation) => staging.add(id, observation)
  return {
    note: (text) => stage({ kind: 'note', id: newId(), text: parse(noteText, text, 'text') }),
    plan: (text) => stage({ kind: 'plan', id: newId(), text: parse(noteText, text, 'text') }),
    fileRead: (input) => stage({ kind: 'fileRead', ...parse(fileRead, input) }),
    fileWrite: (input) => stage(written(parse(fileWrite, input))),
    command: (input) => stage(ran(parse(command, input))),
    relations: (input) => stage({ kind: 'relations', edges: parse(edges, input, 'edges') as Edge[] }),
  }
}

/**
 * Stages observations that came over HTTP. One that is already in stored form stays as it is; any other is treated as
 * by {@link observeOn}. `at` is the path of the list in the input, for error messages.
 */
export function stageObservations(
  staging: Staging,
  newId: () => string,
  sessionId: string,
  input: unknown,
  at: string,
): void {
  if (!Array.isArray(input)) throw new ValidationError(at, 'must be a list of observations')
  const observations = Array.from(input, (one, i) => checkedObservation(one, `${at}[${i}]`, newId))
  for (const observation of observations) staging.add(sessionId, observation)
}

/** One observation in stored form; throws `ValidationError`. */
export function checkedObservation(input: unknown, at: string, newId: () => string): Observation {
  return observed(parse(observationInput, input, at), newId)
}

/** Keys in the same order as in {@link observeOn}: written observations are recognised by comparing JSON. */
function observed(input: z.output<ReturnType<typeof observationInput>>, newId: () => string): Observation {
  switch (input.kind) {
    case 'note':
    case 'plan':
      return { kind: input.kind, id: input.id ?? newId(), text: input.text }
    case 'fileRead':
      return input
    case 'fileWrite':
      return written(input)
    case 'command':
      return ran(input)
    case 'relations':
      return input as { kind: 'relations'; edges: Edge[] }
  }
}

interface Written {
  path: string
  content?: string | undefined
  hash?: string | undefined
  bytes?: number | undefined
}

/** Keeps the hash and the length of a file, not its content. */
function written({ path, content, hash: given, bytes: length }: Written): Observation {
  const known = given ?? (content === undefined ? undefined : nodeCrypto().hash('sha256', content, 'hex'))
  const bytes = content === undefined ? length : Buffer.byteLength(content)
  return {
    kind: 'fileWrite',
    path,
    ...(known !== undefined && { hash: known }),
    ...(bytes !== undefined && { bytes }),
  }
}

interface Ran {
  command: string
  exitCode?: number | undefined
  output?: string | undefined
  omitted?: number | undefined
}

/** Keeps the end of a long output, where the errors are. */
function ran({ command: line, exitCode, output, omitted: before = 0 }: Ran): Observation {
  const clean = output?.replaceAll('\0', '\uFFFD').toWellFormed()
  const cut = Math.max(0, (clean?.length ?? 0) - LIMITS.output)
  const omitted = before + cut
  return {
    kind: 'command',
    command: line,
    ...(exitCode !== undefined && { exitCode }),
    ...(clean !== undefined && { output: clean.slice(cut).toWellFormed() }),
    ...(omitted > 0 && { omitted }),
  }
}
