import { existsSync } from 'node:fs'
import type { Health } from '../../api.ts'
import { SchemaNewerError, SchemaOutdatedError } from '../../domain/errors.ts'
import { sqliteFile, type Target, withStore } from '../target.ts'
import type { Check } from './check.ts'

/** Whether the store opens, and what schema it has. A store that is not there yet is left so. */
export async function storeChecks(target: Target): Promise<Check[]> {
  try {
    const file = sqliteFile(target.url)
    if (file !== undefined && !existsSync(file)) {
      return [{ name: 'store', status: 'ok', found: `sqlite: not made yet; the first open() makes ${file}` }]
    }
    return healthChecks(await withStore(target, (tl) => tl.health()))
  } catch (error) {
    return failureChecks(error)
  }
}

function healthChecks({ store, schema, details: { file, ...details } }: Health): Check[] {
  // a path can be long, so it comes last
  const named = file === undefined ? details : { ...details, file }
  const facts = Object.entries(named).map(([name, value]) => `${name} ${value}`)
  const opened: Check = { name: 'store', status: 'ok', found: `${store}: ${facts.join(', ') || 'opens'}` }
  return schema === undefined ? [opened] : [opened, { name: 'schema', status: 'ok', found: `version ${schema}` }]
}

function failureChecks(error: unknown): Check[] {
  const found = error instanceof Error ? error.message : String(error)
  if (error instanceof SchemaOutdatedError) {
    const { found: version, needed } = error.details
    const has = version === 0 ? 'the file has no tables of ours' : `version ${version}`
    const advice = 'the next open() makes what is missing; make sure that this is the right file, and have a backup'
    return [{ name: 'schema', status: 'warn', found: `${has}, this version needs ${needed}`, advice }]
  }
  if (error instanceof SchemaNewerError) {
    return [{ name: 'schema', status: 'fail', found, advice: 'npm install throughline@latest' }]
  }
  return [{ name: 'store', status: 'fail', found, advice: 'look what --url or THROUGHLINE_URL names' }]
}
