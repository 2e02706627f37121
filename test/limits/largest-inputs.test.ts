import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_ROUTES } from '../http/raw-requests.ts'
import { storeHeavyData } from './heavy-data.ts'
import { HeavySessions, type LargeInputs } from './large-input.ts'
import { logInputs } from './log-inputs.ts'
import { type MeasuredRoute, type MeasuredStore, openMeasured, STORES } from './measured-requests.ts'
import { OTHER_ROUTES, otherInputs } from './other-inputs.ts'
import { workInputs } from './work-inputs.ts'

/** Indexing comes first, so that recall finds everything; purging comes last. */
const FIRST = ['indexLogs']
const LAST = ['purgeUser']

const ROUTES: readonly MeasuredRoute[] = [...ALL_ROUTES, ...OTHER_ROUTES].toSorted((a, b) => placeOf(a) - placeOf(b))

function placeOf({ operation }: { operation: string }): number {
  return Number(LAST.includes(operation)) - Number(FIRST.includes(operation))
}

/** Storing the data takes long on a busy machine, and so do some of the requests. */
const PATIENCE = { timeout: 600_000 }

describe.each(STORES)('the largest input of each kind on $store', PATIENCE, (one) => {
  let measured: MeasuredStore
  let inputs: LargeInputs
  beforeAll(async () => {
    measured = await openMeasured(one)
    const data = await storeHeavyData(measured.tl)
    const heavy = new HeavySessions(data)
    inputs = { ...logInputs(heavy), ...workInputs(heavy, data.memoryId), ...otherInputs(data) }
  }, PATIENCE.timeout)
  afterAll(() => measured.close())

  it('covers every route', () => {
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(ALL_ROUTES.map(({ operation }) => operation)))
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
