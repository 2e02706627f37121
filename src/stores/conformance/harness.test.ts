import { expect, it } from 'vitest'
import { describeRules, type Rule } from './harness.ts'

interface Database {
  connect(name: string): Promise<{ close(): Promise<void> }>
  destroy(): Promise<void>
}

/** Runs one case on a database that logs what happens to it. */
async function run(check: Rule<Database>['check'], close = async () => {}) {
  const log: string[] = []
  const connection = (name: string) => ({
    async close() {
      log.push(`close ${name}`)
      await close()
    },
  })
  const create = async (): Promise<Database> => ({
    connect: async (name) => connection(name),
    destroy: async () => void log.push('destroy'),
  })
  let body = async () => {}
  const runner = {
    describe: (_: string, rules: () => void) => rules(),
    it: (_: string, rule: typeof body) => (body = rule),
  }
  describeRules('port', [{ id: 'X1', title: 'case', check }], { name: 'fake', create }, runner)
  const error = await body().catch((reason: Error) => reason.message)
  return { log, error }
}

const connectTwice = async (database: Database) =>
  void (await Promise.all([database.connect('a'), database.connect('b')]))
const fail = async () => {
  throw new Error('cannot close')
}

it('closes every connection of a case, then destroys the database', async () => {
  expect(await run(connectTwice)).toEqual({ log: ['close a', 'close b', 'destroy'], error: undefined })
})

it('closes and destroys after a failed case, and reports the error of the case', async () => {
  const check = async (database: Database) => {
    await database.connect('a')
    throw new Error('rule broken')
  }
  expect(await run(check, fail)).toEqual({ log: ['close a', 'destroy'], error: 'rule broken' })
})

it('fails a case whose connection cannot be closed', async () => {
  expect(await run(connectTwice, fail)).toMatchObject({ error: 'cannot close' })
})
