import { z } from 'zod/mini'
import { parse, schema } from '../features/kernel/parse.ts'

const count = schema(() => z.coerce.number().check(z.int(), z.minimum(1)))
const flag = schema(() =>
  z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], error: "must be 'true' or 'false'" }),
)

/** A whole number above 0 from the environment; `undefined` if not set. */
export function countSetting(name: string): number | undefined {
  const value = process.env[name]
  return value === undefined || value === '' ? undefined : parse(count, value, name)
}

/** A flag from the environment; `undefined` if not set. */
export function flagSetting(name: string): boolean | undefined {
  const value = process.env[name]
  return value === undefined || value === '' ? undefined : parse(flag, value, name)
}
