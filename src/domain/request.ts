import type { SessionEvent } from './event.ts'
import type { SessionView } from './fold.ts'
import type { Json, JsonObject } from './json.ts'

/** A question to a person that the session waits for. */
export interface OpenRequest {
  id: string
  /** What it is about, such as `approval`. */
  kind: string
  question: string
  /** JSON Schema of the value that resolves it. */
  schema?: JsonObject
  /** The tool call that waits for it. */
  toolCallId?: string
  openedAt: string
}

/** Parts of `request_opened`; the question is its content. */
export type RequestOpenedParts = Omit<OpenRequest, 'question' | 'openedAt'>

/** Parts of `request_resolved`. */
export interface RequestResolvedParts {
  id: string
  value: Json
}

/** Applies an event of the requests of a session. */
export function evolveRequests(view: SessionView, event: SessionEvent): SessionView {
  const open = view.requests ?? []
  if (event.type === 'request_opened') {
    const parts = event.parts as unknown as RequestOpenedParts
    const request: OpenRequest = { ...parts, question: event.content, openedAt: event.createdAt }
    return { ...view, requests: [...open, request], requestsAt: event.createdAt }
  }
  const { id } = event.parts as unknown as RequestResolvedParts
  const { requests: _before, ...rest } = view
  const left = open.filter((request) => request.id !== id)
  return { ...rest, requestsAt: event.createdAt, ...(left.length > 0 && { requests: left }) }
}
