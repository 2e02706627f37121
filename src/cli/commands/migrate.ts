import { z } from 'zod'
import { SchemaOutdatedError } from '../../domain/errors.ts'
import { parse } from '../../features/parse.ts'
import { open } from '../../open.ts'
import { targetOf } from '../../target.ts'
import type { Command } from '../command.ts'
import { openingOf, type Target } from '../target.ts'

const migrateInput = z.strictObject({})

export const migrateCommand: Command = {
  usage: 'migrate',
  summary: 'bring the schema of the store up to date',
  more: [
    'Safe to run again, and from several places at once. On Postgres, run it as the role that owns the tables.',
    'The store of a server is migrated where it runs: against one this says which schema it has.',
  ].join('\n'),

  async run(input, { target, output }) {
    parse(migrateInput, input)
    const from = await schemaBefore(target)
    const isServer = targetOf(target.url).store === 'http'
    const tl = await open({ ...openingOf(target), migrate: !isServer })
    const { schema: to, store } = await tl.health()
    await tl.close()
    const text = from === to ? `${store}: already at schema ${to}` : `${store}: migrated from schema ${from} to ${to}`
    output.print(text, { store, from, to })
    return undefined
  },
}

async function schemaBefore(target: Target): Promise<number | undefined> {
  try {
    const tl = await open({ ...openingOf(target), migrate: false })
    const { schema } = await tl.health()
    await tl.close()
    return schema
  } catch (error) {
    if (error instanceof SchemaOutdatedError) return error.details.found
    throw error
  }
}
