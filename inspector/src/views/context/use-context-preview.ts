import { call, sessionPath } from '../../api/client.ts'
import type { ContextResult, Message, MessageFormat } from '../../api/types.ts'
import { type Request, useRequest } from '../../parts/use-request.ts'
import type { SessionData } from '../../session/session-data.ts'

/** What is asked for. */
export interface ContextQuery {
  readonly budget: number
  readonly recall: boolean
  /** What to recall; empty: what the last message is about. */
  readonly about: string
}

/** An answer, with what it answers. */
export interface ContextPreview {
  readonly question: ContextQuery
  readonly answer: ContextResult<Message[]>
  /** Last event that was known of when it was asked. */
  readonly head: number
}

/** Asks the server. Never leaves a trace: what is only looked at must not count as told to a model. */
export async function previewContext<M = Message[]>(
  id: string,
  { budget, recall, about }: ContextQuery,
  signal: AbortSignal,
  format?: MessageFormat,
): Promise<ContextResult<M>> {
  const body = {
    maxTokens: budget,
    record: false,
    ...(recall && { recall: about === '' ? true : { query: about } }),
    ...(format !== undefined && { format }),
  }
  return await call(sessionPath(id, '/context'), { method: 'POST', body, signal })
}

/** The context under a budget; an answer that was overtaken is dropped. */
export function useContextPreview(data: SessionData, { budget, recall, about }: ContextQuery): Request<ContextPreview> {
  return useRequest(
    async (signal) => {
      const head = data.head.peek()
      const question = { budget, recall, about: recall ? about : '' }
      return { question, answer: await previewContext(data.id, question, signal), head }
    },
    [data, budget, recall, recall ? about : ''],
  )
}
