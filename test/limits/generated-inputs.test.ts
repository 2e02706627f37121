import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Throughline } from '../../src/index.ts'
import { SAMPLES, sessionFor, type World } from '../http/samples.ts'
import { amount, printFigure } from '../proof.ts'
import { generatedInputs } from './generated-inputs.ts'
import { type MeasuredStore, openMeasured, STORE_NAMES } from './measured-requests.ts'

const INPUTS = generatedInputs(amount(8, 64))
const PATIENCE = { timeout: 600_000 }

describe.each(STORE_NAMES)('inputs generated from the schemas, on %s', PATIENCE, (store) => {
  let measured: MeasuredStore
  beforeAll(async () => {
    measured = await openMeasured(store)
  })
  afterAll(() => measured.close())

  it('neither hold the event loop nor fill the memory', async () => {
    const problems: string[] = []
    for (const { route, name, body } of INPUTS) {
      const sample = SAMPLES[route.operation] ?? {}
      const prepare = async (tl: Throughline) => (await sessionFor({ tl } as World, sample)).id
      const input = { name, body, prepare, refused: 'maybe' } as const
      const problem = await measured.problemWith(route, input)
      if (problem !== undefined) problems.push(`${route.operation}: ${problem}`)
    }
    expect(problems.join('\n')).toBe('')
    printFigure(`${store}: accepted ${measured.accepted()} of ${INPUTS.length} generated inputs`)
    expect(measured.accepted()).toBeGreaterThanOrEqual(INPUTS.length / 4)
  })
})
