/** Why the server did not do something, in its own words. */
export class Problem extends Error {
  readonly code: string
  readonly status: number

  constructor({ code, detail, status }: { code: string; detail: string; status: number }) {
    super(detail)
    this.code = code
    this.status = status
  }
}

/** What to show of anything that was thrown. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem({ code: 'INTERNAL', detail: error instanceof Error ? error.message : String(error), status: 0 })
}

/** What an answer that is no success says. */
export async function readProblem(response: Response): Promise<Problem> {
  const { status } = response
  const body = await response.json().catch(() => ({}))
  const { code = 'INTERNAL', detail = `the server responded with status ${status}` } = body as { code?: string; detail?: string }
  return new Problem({ code, detail, status })
}

/** There was no answer at all. */
export const unreachable = () =>
  new Problem({ code: 'UNREACHABLE', detail: 'Cannot reach the server. Is it still running?', status: 0 })

/** It was sent, and nothing came back. */
export const timedOut = () =>
  new Problem({
    code: 'TIMEOUT',
    detail: 'The server did not respond in time. The request may have been processed; sending it again will not repeat it.',
    status: 0,
  })
