import type { RollbackOptions, RollbackReport } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { defined } from '../../domain/optional.ts'
import type { EnvelopeFilter } from '../../ports/envelope-store.ts'
import { requireOperator } from '../kernel/access.ts'
import type { Deps } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { rollbackOptions } from './schema.ts'
import { counted } from './stored-envelope.ts'

/** Envelopes removed per step. */
const PAGE = 2000

/** Empties the cache, then removes stored envelopes. The logs stay. */
export async function rollback(deps: Deps, input: RollbackOptions): Promise<RollbackReport> {
  requireOperator(deps)
  const { dryRun, onProgress, ...given } = parse(rollbackOptions, input)
  const which = chosen(given)
  const of = await deps.store.envelopes.count(which)
  if (dryRun) return { dryRun, envelopes: of }
  const cached = await deps.cache?.clear()
  let envelopes = 0
  // a page may be short because others write at that moment; envelopes written from now on stay
  for (let page = PAGE; page > 0 && (page === PAGE || envelopes < of); ) {
    const remove = () => deps.store.envelopes.remove(which, PAGE)
    page = (await counted(deps, 'rollback', remove, (ids) => ids.length > 0)).length
    envelopes += page
    onProgress?.({ sessions: envelopes, of })
  }
  return defined({ dryRun, envelopes, cached })
}

function chosen({ batch, since }: { batch?: string | undefined; since?: string | undefined }): EnvelopeFilter {
  if (batch !== undefined && since === undefined) return { batch }
  if (since !== undefined && batch === undefined) return { since }
  throw new ValidationError('batch', 'pass either batch or since')
}
