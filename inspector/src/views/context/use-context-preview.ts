import { call, sessionPath } from '../../api/client.ts'
import type { ContextResult, Message, MessageFormat } from '../../api/types.ts'
import { type Request, useRequest } from '../../parts/use-request.ts'
import type { SessionData } from '../../session/session-data.ts'

/** Parameters of a preview. */
export interface ContextParams {
  readonly budget: number
  readonly recall: boolean
  /** What to recall; empty means the topic of the last message. */
  readonly about: string
}

/** A context with its parameters. */
export interface ContextPreview {
  readonly params: ContextParams
  readonly result: ContextResult<Message[]>
  /** Last known event at the time of the request. */
  readonly head: number
}

/** Builds a context with `record: false`: a preview must not count as sent to a model. */
export async function previewContext<M = Message[]>(
  id: string,
  { budget, recall, about }: ContextParams,
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

/** The context under a budget. */
export function useContextPreview(
  data: SessionData,
  { budget, recall, about }: ContextParams,
): Request<ContextPreview> {
  return useRequest(
    async (signal) => {
      const head = data.head.peek()
      const params = { budget, recall, about: recall ? about : '' }
      return { params, result: await previewContext(data.id, params, signal), head }
    },
    [data, budget, recall, recall ? about : ''],
  )
}
