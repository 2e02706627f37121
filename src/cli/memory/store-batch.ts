import type { Memories, Remembered, RememberInput } from '../../api.ts'
import { type TooLargeError, ValidationError } from '../../domain/errors.ts'

/** What is wrong with one document, so that the others may go on without it. */
export type RefusedError = ValidationError | TooLargeError

/** What became of a memory, or why it was refused. */
export type Outcome = 'created' | 'unchanged' | RefusedError

/** Keeps memories that have ids of their own. One that the store refuses does not keep the others out. */
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
  // of a batch all are kept or none: each on its own shows which one it is
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

/** What {@link storeBatch} would give. Writes nothing. */
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
          : new ValidationError('id', 'belongs to a memory that says something else')
      } catch (error) {
        if (hasCode(error, 'MEMORY_NOT_FOUND')) return 'created'
        throw error
      }
    }),
  )
}

/** Whether the error says that a document is wrong, rather than that the store failed. */
export function isRefusal(error: unknown): error is RefusedError {
  return hasCode(error, 'VALIDATION') || hasCode(error, 'TOO_LARGE')
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
