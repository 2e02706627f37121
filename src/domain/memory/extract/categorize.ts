import type { MemoryCategory } from '../memory.ts'
import { FACTS } from './facts.ts'
import { type Pattern, TEMPORARY } from './pattern.ts'
import { PREFERENCES } from './preferences.ts'
import { RULES } from './rules.ts'
import { SKILLS } from './skills.ts'

/** Tried in order: "I want you to always …" is a rule before it is a preference. */
const PATTERNS: readonly (readonly [MemoryCategory, readonly Pattern[]])[] = [
  ['rules', RULES],
  ['skills', SKILLS],
  ['preferences', PREFERENCES],
  ['facts', FACTS],
]

/** Returns the category of a sentence; `undefined` if it is not worth remembering. */
export function categorize(text: string): MemoryCategory | undefined {
  // "As a vegan I don't eat eggs" is categorized by the second part
  const core = text.replace(/^as an? [\p{L} -]{2,30}?,? (?=I\b)/iu, '')
  if (TEMPORARY.test(core)) return undefined
  const fits = ({ matches, unless }: Pattern) => matches(core) && !unless?.test(core)
  return PATTERNS.find(([, patterns]) => patterns.some(fits))?.[0]
}
