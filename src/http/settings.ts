import { z } from 'zod'
import { parse } from '../features/parse.ts'
import type { JwtOptions } from './auth.ts'

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a number from 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65535, 'must be a number from 0 to 65535')

/** A setting of the environment; one that is empty is not set. */
export function textSetting(name: string): string | undefined {
  const value = process.env[name]
  return value === '' ? undefined : value
}

/** A port from the environment; `undefined` where it is not set. */
export function portSetting(name: string): number | undefined {
  const value = textSetting(name)
  return value === undefined ? undefined : parse(port, value, name)
}

/** How tokens are checked, by the environment; `undefined` where it names no key. */
export function jwtSettings(): JwtOptions | undefined {
  const secret = textSetting('THROUGHLINE_JWT_SECRET')
  const jwksUrl = textSetting('THROUGHLINE_JWKS_URL')
  // a key in one line, as many places that hold settings want it
  const publicKey = textSetting('THROUGHLINE_JWT_PUBLIC_KEY')?.replaceAll('\\n', '\n')
  if ((secret ?? jwksUrl ?? publicKey) === undefined) return undefined
  const algorithms = textSetting('THROUGHLINE_JWT_ALGORITHMS')?.split(/[\s,]+/)
  const audience = textSetting('THROUGHLINE_JWT_AUDIENCE')
  const issuer = textSetting('THROUGHLINE_JWT_ISSUER')
  return {
    ...(secret !== undefined && { secret }),
    ...(jwksUrl !== undefined && { jwksUrl }),
    ...(publicKey !== undefined && { publicKey }),
    ...(algorithms !== undefined && { algorithms }),
    ...(audience !== undefined && { audience }),
    ...(issuer !== undefined && { issuer }),
  }
}
