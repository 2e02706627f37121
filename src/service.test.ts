import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import {
  open,
  type roundtable,
  type ServiceResult,
  type SessionResponse,
  serviceOf,
  type Throughline,
} from './index.ts'

let tl: Throughline
beforeAll(async () => {
  tl = await open('memory:')
})
afterAll(() => tl.close())

describe('the service', () => {
  it('F1: has one ServiceResult, which everyone imports', () => {
    const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    const declaring = files.filter(
      (file) =>
        file.endsWith('.ts') &&
        /^export type ServiceResult\b/m.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
    )
    expect(declaring).toEqual(['service.ts'])
  })

  it('F6, F13: types agents by the registry where it is known', async () => {
    type Roundtable = (typeof roundtable)[number]
    const service = serviceOf<Roundtable>(tl)
    const result = await service.getOrCreateSession('ada')
    expectTypeOf(result).toEqualTypeOf<ServiceResult<SessionResponse<Roundtable>>>()
    if (!result.success) throw new Error(result.error.message)
    expectTypeOf(result.data.agentTransitions[0]?.from).toEqualTypeOf<Roundtable | undefined>()
    expectTypeOf(result.data.messages[0]?.agentId).toEqualTypeOf<Roundtable | undefined>()
    // @ts-expect-error not one of them
    const refused = await service.updateActiveAgent(result.data.id, 'ada', 'nobody')
    expect(refused).toMatchObject({ success: false, error: { code: 'VALIDATION_ERROR' } })
  })

  it('answers INTERNAL_ERROR for what nobody thought of, and tells nothing of it', async () => {
    const broken = {
      ...tl,
      as: () => {
        throw new TypeError('secret')
      },
    }
    expect(await serviceOf(broken as unknown as Throughline).getOrCreateSession('ada')).toEqual({
      success: false,
      error: { code: 'INTERNAL_ERROR', message: 'An unexpected error occurred' },
    })
  })
})
