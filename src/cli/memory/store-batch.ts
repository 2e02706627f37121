import type { Memories, Remembered, RememberInput } from '../../api.ts'
import { type TooLargeError, ValidationError } from '../../domain/errors.ts'
import { hasErrorCode } from '../failure.ts'

/** An error of one document; the others are still imported. */
export type RefusedError = ValidationError | TooLargeError

export type Outcome = 'created' | 'unchanged' | RefusedError

/** Stores memories with ids of their own. A refused memory does not affect the others. */
export async function storeBatch(
  memories: Pick<Memories, 'remember'>,
  batch: readonly RememberInput[],
): Promise<readonly Outcome[]> {
  const outcomeOf = ({ outcome }: Remembered) => (outcome === 'created' ? outcome : 'unchanged')
  try {
    return (await memories.remember(batch)).map(outcomeOf)
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
  // a batch is stored as a whole: store one by one to find the refused ones
  const outcomes: Outcome[] = []
  for (const memory of batch) {
    try {
      outcomes.push(outcomeOf(await memories.remember(memory)))
    } catch (error) {
      if (!isRefusal(error)) throw error
      outcomes.push(error)
    }
  }
  return outcomes
}

/** The outcomes that {@link storeBatch} would give. Writes nothing. */
export async function previewBatch(
  memories: Pick<Memories, 'get'>,
  batch: readonly RememberInput[],
): Promise<readonly Outcome[]> {
  return await Promise.all(
    batch.map(async ({ id = '', content }): Promise<Outcome> => {
      try {
        const known = await memories.get(id)
        return known.content === content
          ? 'unchanged'
          : new ValidationError('id', 'belongs to a memory with different content')
      } catch (error) {
        if (hasErrorCode(error, 'MEMORY_NOT_FOUND')) return 'created'
        throw error
      }
    }),
  )
}

/** Whether the error is about a document, not about the store. */
export function isRefusal(error: unknown): error is RefusedError {
  return hasErrorCode(error, 'VALIDATION') || hasErrorCode(error, 'TOO_LARGE')
}
