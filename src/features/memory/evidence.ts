import type { Contradiction, Evidence, WriteOptions } from '../../api.ts'
import { MemoryNotFoundError, ValidationError } from '../../domain/errors.ts'
import { addEvidence, type MemoryStep, type NewEvidence, supersede } from '../../domain/memory/evidence.ts'
import { isCurrent, type Memory, type MemorySource } from '../../domain/memory/memory.ts'
import { isSimilar } from '../../domain/memory/similarity.ts'
import type { MemoryPut } from '../../ports/memory-store.ts'
import type { IdempotencyStamp } from '../../ports/session-store.ts'
import { type Deps, now } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { Comparison } from './comparison.ts'
import { stampOf, unlessDone } from './keys.ts'
import { getMemory } from './read.ts'
import { checkSource, gone, requireSessions, sessionsOf } from './remember.ts'
import { contradiction, evidence } from './schema.ts'
import { fingerprintOf, type Statement, stated, Writing } from './writing.ts'

/** Adds evidence for a memory. */
export async function corroborate(
  deps: Deps,
  id: string,
  input: Evidence = {},
  options: WriteOptions = {},
): Promise<Memory> {
  const checked = parse(evidence, input) as Evidence
  const stamp = stampOf(options, ['corroborate', String(id).toLowerCase(), checked])
  return await once(deps, id, stamp, async () => {
    const { note, sourceType, ...given } = checked
    const { memory, source } = await subject(deps, id, given)
    return await changed(deps, memory, { source, stamp }, (writing, now, at) => {
      tell(writing, addEvidence(now, 'corroborates', { at, source, note, sourceType }))
    })
  })
}

/** Adds evidence against a memory; a given replacement supersedes it. */
export async function contradict(
  deps: Deps,
  id: string,
  input: Contradiction = {},
  options: WriteOptions = {},
): Promise<Memory> {
  const checked = parse(contradiction, input) as Contradiction
  const stamp = stampOf(options, ['contradict', String(id).toLowerCase(), checked])
  return await once(deps, id, stamp, () => contradicted(deps, id, checked, stamp))
}

async function contradicted(
  deps: Deps,
  id: string,
  { note, content, supersededBy, sourceType, ...given }: Contradiction,
  stamp: IdempotencyStamp | undefined,
): Promise<Memory> {
  const { memory, source } = await subject(deps, id, given)
  if (content !== undefined && supersededBy !== undefined) {
    throw new ValidationError('content', 'must not be combined with supersededBy')
  }
  if (supersededBy === memory.id) throw new ValidationError('supersededBy', 'must be another memory')
  const instead = content === undefined ? undefined : replacement(memory, { content, source, sourceType })
  return await changed(deps, memory, { source, instead, supersededBy, stamp }, (writing, now, at) => {
    const isReplaced = (instead ?? supersededBy) !== undefined && now.supersededBy !== undefined
    if (isReplaced && !isAgain(writing, now, { instead, supersededBy })) {
      throw new ValidationError('id', `belongs to a memory superseded by ${now.supersededBy}`)
    }
    const step = addEvidence(now, 'contradicts', { at, source, note, sourceType })
    tell(writing, step)
    if (isReplaced) return
    const other = instead === undefined ? supersededBy : successor(deps, writing, step.memory, instead, at)
    if (other === undefined) return
    const next = writing.get(other)
    if (next === undefined) throw new MemoryNotFoundError(other)
    if (!isCurrent(next, at)) throw new ValidationError('supersededBy', 'must not be superseded or expired itself')
    // a superseded memory never comes back, so its terms leave the index
    tell(writing, supersede(step.memory, other, at), { words: null })
  })
}

/** For a repeated key: the memory as it is now, even if a session named as evidence is gone. */
async function once(
  deps: Deps,
  id: string,
  stamp: IdempotencyStamp | undefined,
  work: () => Promise<Memory>,
): Promise<Memory> {
  return await unlessDone(deps, stamp, deps.within, work, () => getMemory(deps, id))
}

function tell(writing: Writing, { memory, change }: MemoryStep, rest: Pick<MemoryPut, 'words'> = {}): void {
  if (change !== undefined) writing.put({ memory, changes: [change], ...rest })
}

/** Whether this replacement already superseded the memory: then the call changes nothing. */
function isAgain(
  writing: Writing,
  now: Memory,
  { instead, supersededBy }: Pick<Given, 'instead' | 'supersededBy'>,
): boolean {
  if (instead === undefined) return supersededBy === now.supersededBy
  const successor = writing.get(now.supersededBy ?? '')
  return successor !== undefined && isSimilar(successor.content, instead.content)
}

/** The replacement, of the same category and scope. */
function replacement(
  { category, scope }: Memory,
  {
    content,
    source,
    sourceType = 'explicit',
  }: Pick<Statement, 'content'> & Partial<Pick<NewEvidence, 'source' | 'sourceType'>>,
): Statement {
  return {
    content,
    category: category as Statement['category'],
    sourceType,
    ...(scope !== undefined && { scope }),
    ...(source !== undefined && { source }),
  }
}

/** Stores the replacement and returns its id; it may exist already, but is never the memory it replaces. */
function successor(deps: Deps, writing: Writing, { id, tenant, userId }: Memory, instead: Statement, at: string) {
  return stated(deps, writing, { tenant, userId }, instead, 0, at, id).id
}

async function subject(deps: Deps, id: string, given: MemorySource) {
  checkSource(given, '')
  const memory = await getMemory(deps, id)
  const source = Object.values(given).some((value) => value !== undefined) ? given : undefined
  const { tenant, userId } = memory
  await requireSessions(deps, { tenant, userId }, [source])
  return { memory, source }
}

/** What a change needs to know beside the memory. */
interface Given {
  source: MemorySource | undefined
  instead?: Statement | undefined
  supersededBy?: string | undefined
  stamp: IdempotencyStamp | undefined
}

async function changed(
  deps: Deps,
  { id, tenant, userId, supersededBy: successor = id }: Memory,
  { source, instead, supersededBy = id, stamp }: Given,
  change: (writing: Writing, memory: Memory, at: string) => void,
): Promise<Memory> {
  const at = now(deps)
  const user = { tenant, userId }
  const named = [...new Set([id, successor, supersededBy])]
  const comparison = await Comparison.of(deps, user, instead === undefined ? [] : [instead], named)
  let after: Memory | undefined
  const { outcome } = await comparison.within(() =>
    deps.store.memories.change({
      ...user,
      at,
      ids: [...new Set([...named, ...comparison.similar])],
      fingerprints: instead === undefined ? [] : [fingerprintOf(comparison.analysis(0), instead.scope)],
      sessions: sessionsOf([source]),
      ...(stamp !== undefined && { idempotency: stamp }),
      decide(found) {
        const writing = new Writing(found, comparison)
        const memory = writing.get(id)
        if (memory === undefined) throw new MemoryNotFoundError(id)
        change(writing, memory, at)
        after = writing.get(id)
        return { puts: writing.puts(), response: JSON.stringify([id]) }
      },
    }),
  )
  if (outcome === 'stale') throw gone([source])
  if (outcome === 'replayed') return await getMemory(deps, id)
  return after as Memory
}
