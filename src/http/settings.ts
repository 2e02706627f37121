import { z } from 'zod'
import { ValidationError } from '../domain/errors.ts'
import { defined } from '../domain/optional.ts'
import { parse } from '../features/kernel/parse.ts'
import { DEFAULT_LIMITS, type Limits } from './admission.ts'
import type { JwtOptions } from './auth.ts'

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65535, 'must be a number from 0 to 65535')

/** A setting from the environment; empty counts as not set. */
export function textSetting(name: string): string | undefined {
  const value = process.env[name]
  return value === '' ? undefined : value
}

/** A port from the environment; `undefined` if not set. */
export function portSetting(name: string): number | undefined {
  const value = textSetting(name)
  return value === undefined ? undefined : parse(port, value, name)
}

/** Limits that replace the defaults. */
export const limitsOption = z.partialRecord(z.enum(Object.keys(DEFAULT_LIMITS) as [keyof Limits]), z.int().min(1))

/** Limits from a text such as `streamsPerCaller=1000, requests=2000`. */
export function limitsFrom(text: string, field: string): Partial<Limits> {
  const entries = text.split(',').map((entry) => {
    const [, name, value] = /^\s*(\w+)\s*=\s*(\d+)\s*$/.exec(entry) ?? []
    if (name === undefined || !Object.hasOwn(DEFAULT_LIMITS, name)) {
      const names = Object.keys(DEFAULT_LIMITS).join(', ')
      throw new ValidationError(field, `must look like streamsPerCaller=1000,requests=2000; known names: ${names}`)
    }
    return [name, Number(value)]
  })
  return parse(limitsOption, Object.fromEntries(entries), field) as Partial<Limits>
}

/** Limits from the environment, if any. */
export function limitsSetting(): Partial<Limits> {
  const text = textSetting('THROUGHLINE_LIMITS')
  return text === undefined ? {} : limitsFrom(text, 'THROUGHLINE_LIMITS')
}

/** Token settings from the environment; `undefined` without a key. */
export function jwtSettings(): JwtOptions | undefined {
  const secret = textSetting('THROUGHLINE_JWT_SECRET')
  const jwksUrl = textSetting('THROUGHLINE_JWKS_URL')
  // a PEM key in one line, as many configuration systems require
  const publicKey = textSetting('THROUGHLINE_JWT_PUBLIC_KEY')?.replaceAll('\\n', '\n')
  if ((secret ?? jwksUrl ?? publicKey) === undefined) return undefined
  const algorithms = textSetting('THROUGHLINE_JWT_ALGORITHMS')?.split(/[\s,]+/)
  const audience = textSetting('THROUGHLINE_JWT_AUDIENCE')
  const issuer = textSetting('THROUGHLINE_JWT_ISSUER')
  return defined({ secret, jwksUrl, publicKey, algorithms, audience, issuer })
}
