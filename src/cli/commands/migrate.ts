import type { Health } from '../../api.ts'
import { SchemaOutdatedError } from '../../domain/errors.ts'
import { open } from '../../open/open.ts'
import type { OpenOptions } from '../../open/options.ts'
import { targetOf } from '../../open/target.ts'
import type { Command } from '../command.ts'
import { type Target, toOpenOptions } from '../target.ts'

export const migrateCommand: Command = {
  usage: 'migrate',
  summary: 'update the schema of the store',
  more: [
    'Safe to repeat, and to run from several places at once. On Postgres, run it as',
    'the role that owns the tables. A server migrates its own store: for a server',
    'this only prints the schema version.',
  ].join('\n'),

  async run(_input, { target, output }) {
    const from = await readSchema(target)
    const isServer = targetOf(target.url).store === 'http'
    const { schema: to, store } = await readHealth({ ...toOpenOptions(target), migrate: !isServer })
    output.print(`${store}: ${formatOutcome(from, to)}`, { store, from, to })
  },
}

function formatOutcome(from: number | undefined, to: number | undefined): string {
  if (to === undefined) return 'has no schema to migrate'
  return from === to ? `already at schema ${to}` : `migrated from schema ${from} to ${to}`
}

async function readSchema(target: Target): Promise<number | undefined> {
  try {
    return (await readHealth({ ...toOpenOptions(target), migrate: false })).schema
  } catch (error) {
    if (error instanceof SchemaOutdatedError) return error.details.found
    throw error
  }
}

async function readHealth(opening: OpenOptions): Promise<Health> {
  const tl = await open(opening)
  try {
    return await tl.health()
  } finally {
    await tl.close()
  }
}
