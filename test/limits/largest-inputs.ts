import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Throughline } from '../../src/index.ts'
import { ALL_ROUTES } from '../http/raw-requests.ts'
import { amount } from '../proof.ts'
import { fillLegacy } from '../servers/legacy-data.ts'
import { temporaryFolder } from '../servers/test-run.ts'
import { storeHeavyData } from './heavy-data.ts'
import { HeavySessions, type LargeInputs } from './large-input.ts'
import { logInputs } from './log-inputs.ts'
import { type MeasuredRoute, type MeasuredStore, openMeasured, type StoreName } from './measured-requests.ts'
import { OTHER_ROUTES, otherInputs } from './other-inputs.ts'
import { workInputs } from './work-inputs.ts'

/**
 * Reads that search or index everything of the owner come before the calls that copy heavy sessions: the copies belong
 * to the owner as well, and indexing all of them takes minutes. Purging comes last.
 */
const FIRST = ['indexLogs', 'recall', 'buildContext', 'mcp']
const LAST = ['purgeUser']

const ROUTES: readonly MeasuredRoute[] = [...ALL_ROUTES, ...OTHER_ROUTES].toSorted((a, b) => placeOf(a) - placeOf(b))

function placeOf({ operation }: { operation: string }): number {
  const first = FIRST.indexOf(operation)
  return first < 0 ? Number(LAST.includes(operation)) : first - FIRST.length
}

/** Storing the data takes long on a busy machine, and so do some of the requests. */
const PATIENCE = { timeout: 600_000 }

/** Sends every route its largest legal inputs, on one store. Each store has a test file, so that both run at once. */
export function describeLargestInputs(store: StoreName): void {
  describe(`the largest input of each kind on ${store}`, PATIENCE, () => {
    let measured: MeasuredStore
    let inputs: LargeInputs
    const { path: folder, remove } = temporaryFolder('throughline-limits-legacy-')
    beforeAll(async () => {
      measured = await openMeasured(store)
      const data = await storeHeavyData(measured.tl)
      const heavy = new HeavySessions(data)
      inputs = {
        ...logInputs(heavy),
        ...workInputs(heavy, data.memoryId),
        ...otherInputs(data),
        ...(await envelopeInputs(`sqlite:${folder}/old.db`, store === 'Postgres')),
      }
    }, PATIENCE.timeout)
    afterAll(async () => {
      await measured.close()
      remove()
    })

    it('covers every route of the server', async () => {
      const { paths } = (await (await fetch(`${await measured.url()}/openapi.json`)).json()) as {
        paths: Record<string, Record<string, { operationId: string }>>
      }
      const documented = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\/$/, '')}`),
      )
      const sent = ROUTES.map(({ method, path, isBesideApi }) => {
        const whole = isBesideApi ? path.replace(/\?.*|\/$/, '') : `/v1${path}`
        return `${method} ${whole}`
      })
      expect(sent).toEqual(expect.arrayContaining(documented))
      const withoutInput = ALL_ROUTES.filter(({ operation }) => (inputs[operation] ?? []).length === 0)
      expect(withoutInput.map(({ operation }) => operation)).toEqual([])
    })

    it.each(ROUTES)('neither holds the event loop nor fills the memory: $operation', async (route) => {
      const problems: string[] = []
      for (const input of inputs[route.operation] ?? [{ name: 'nothing' }]) {
        const problem = await measured.problemWith(route, input)
        if (problem !== undefined) problems.push(problem)
      }
      expect(problems.join('\n')).toBe('')
    })
  })
}

/** Of the routes for all envelopes. Only Postgres has a cache; without one its routes are refused. */
async function envelopeInputs(legacy: string, hasCache: boolean): Promise<LargeInputs> {
  await fillLegacy(legacy, { sessions: amount(50, 500), eventsEach: 200 })
  const batch = randomUUID()
  const cached = hasCache ? {} : { refused: 400 }
  return {
    backfillEnvelopes: [{ name: 'a legacy database', body: { from: legacy, batch } }],
    rollbackEnvelopes: [
      {
        name: 'the batch of a backfill',
        prepare: (tl) => backfilled(tl, legacy),
        body: (id: string) => ({ batch: id }),
      },
    ],
    warmEnvelopes: [{ name: 'all', body: {}, ...cached }],
    cachedEnvelopes: [{ name: 'all', isRead: true, ...cached }],
  }
}

/** Backfills a database, and returns the batch. */
async function backfilled(tl: Throughline, from: string): Promise<string> {
  const batch = randomUUID()
  await tl.envelopes.backfill({ from, batch })
  return batch
}
