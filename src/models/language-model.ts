import { ValidationError } from '../domain/errors.ts'
import type { LanguageModel } from '../ports/model.ts'

/** Throws unless the option is a function, a language model or absent. */
export function requireModelOrFunction(field: string, choice: unknown): void {
  if (choice === undefined || typeof choice === 'function' || isModel(choice)) return
  throw new ValidationError(field, 'must be a function or a language model of AI SDK 5 or later')
}

/** Whether the value is a language model of the AI SDK. */
export function isModel(choice: unknown): choice is LanguageModel {
  const { specificationVersion, doGenerate } = (choice ?? {}) as Partial<LanguageModel>
  return typeof doGenerate === 'function' && /^v[234]$/.test(specificationVersion ?? '')
}
