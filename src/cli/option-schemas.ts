/** Options that several commands share, and schemas for typed options. Their messages follow the name of the option. */
import { z } from 'zod'
import type { LabelValue } from '../domain/label.ts'
import { LIMITS } from '../domain/limits.ts'
import { MEMORY_CATEGORIES } from '../domain/memory/memory.ts'
import { moment } from '../features/kernel/parse.ts'
import type { CommandOption } from './command.ts'

export const USER_TENANT: CommandOption = {
  flags: '--tenant <id>',
  description: 'tenant of the user (default: "local")',
}

export const MEMORY_OWNER: CommandOption = { flags: '--user <id>', description: 'owner of the memories (required)' }

export const PRICES: CommandOption = {
  flags: '--prices <file>',
  description: 'JSON file with prices of models, to add the cost to usage (THROUGHLINE_PRICES)',
}

export const OUT_FILE: CommandOption = {
  flags: '--out <file>',
  description: 'file to write; an existing file is replaced (default: stdout)',
}

/** For commands that accept part of a session id. */
export const PARTIAL_ID_TENANT: CommandOption = {
  flags: '--tenant <id>',
  description: 'tenant to search when <session> is part of an id (default: "local")',
}

export const user = nameOption('is required; pass the user with --user')

export const tenant = nameOption().optional()

export const category = z.enum(MEMORY_CATEGORIES, `must be one of ${MEMORY_CATEGORIES.join(', ')}`)

/** A name or id. Checked here, so that the error names the option and not an inner field. */
export function nameOption(missing?: string) {
  return z.string(missing).min(1, 'must not be empty').max(LIMITS.name)
}

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

const TIME_OR_AGE_MESSAGE = 'must be an age (30m, 2h, 3d, 1w) or an ISO 8601 time (2026-01-31T09:30:00Z)'

/** An age such as `2h`, or a time in ISO 8601. Gives a time. */
export const timeOrAge = z
  .string()
  .transform((text) => {
    const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
    if (unit === undefined) return text
    return new Date(Date.now() - Number(count) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS] * 1000).toISOString()
  })
  .refine((text) => moment().safeParse(text).success, TIME_OR_AGE_MESSAGE)

/** A number from 0 to 1. */
export const fraction = z
  .string()
  .refine((text) => /^(0|1|[01]?\.\d+)$/.test(text) && Number(text) <= 1, 'must be a number from 0 to 1, such as 0.5')
  .transform(Number)

/** A comma-separated list of known words. */
export function listOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const list = z.array(z.enum(words, `must be a comma-separated list of ${words.join(', ')}`)).min(1)
  return z
    .string()
    .transform((text) => text.split(',').map((word) => word.trim()))
    .pipe(list)
}

/** Members of metadata such as `project=x,size=3`. Numbers, true, false and null are values of their kind. */
export const members = z
  .string()
  .refine((text) => text.split(',').every((part) => part.indexOf('=') > 0), 'must be such as project=x,size=3')
  .transform((text) => Object.fromEntries(text.split(',').map(memberOf)))

function memberOf(part: string): [string, LabelValue] {
  const at = part.indexOf('=')
  const value = part.slice(at + 1)
  const isSimple = /^(true|false|null|-?\d+(\.\d+)?|"[^"]*")$/.test(value)
  return [part.slice(0, at).trim(), isSimple ? JSON.parse(value) : value]
}
