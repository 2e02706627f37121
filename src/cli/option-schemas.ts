/** Options as they were typed, to be checked with `parse`: what is wrong names the option and says what to do. */
import { z } from 'zod'
import { LIMITS } from '../domain/limits.ts'
import { MEMORY_CATEGORIES } from '../domain/memory/memory.ts'
import { moment } from '../features/kernel/parse.ts'

/** The option of every command that is about one person. */
export const user = nameOption('is missing: --user says whose they are')

export const tenant = nameOption().optional()

export const category = z.enum(MEMORY_CATEGORIES, `must be one of ${MEMORY_CATEGORIES.join(', ')}`)

/** The name or id of something. Checked here, where the option is known: further in it is a field that nobody typed. */
export function nameOption(missing?: string) {
  return z.string(missing).min(1, 'must not be empty').max(LIMITS.name)
}

/** A whole number, such as that of `--limit`. */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .refine(
      (text) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be a whole number from ${least} to ${most}`,
    )
    .transform(Number)
}

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const

const TIME_OR_AGE_MESSAGE =
  'must be so long ago, such as 30m, 2h, 3d or 1w, or a time in ISO 8601, such as 2026-01-31T09:30:00Z'

/** A moment: so long ago, such as `2h`, or a time in ISO 8601. */
export const timeOrAge = z
  .string()
  .transform((text) => {
    const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
    if (unit === undefined) return text
    return new Date(Date.now() - Number(count) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS] * 1000).toISOString()
  })
  .refine((text) => moment().safeParse(text).success, TIME_OR_AGE_MESSAGE)

/** From nothing to all, such as a confidence. */
export const fraction = z
  .string()
  .refine((text) => /^(0|1|[01]?\.\d+)$/.test(text) && Number(text) <= 1, 'must be a number from 0 to 1, such as 0.5')
  .transform(Number)

/** Several of a few words, with commas between them. */
export function listOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const list = z.array(z.enum(words, `must be of ${words.join(', ')}, with commas between them`)).min(1)
  return z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .pipe(list)
}

/** What was given: an option that was left out is no field of its own. */
export function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never
}
