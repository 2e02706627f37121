interface ProblemBody {
  readonly code: string
  readonly detail: string
  readonly status: number
  readonly details?: { readonly field?: string }
}

/** Why a request failed, in the words of the server. */
export class Problem extends Error {
  readonly code: string
  readonly status: number
  /** The input that the server rejected. */
  readonly field: string | undefined

  constructor({ code, detail, status, details }: ProblemBody) {
    super(detail)
    this.code = code
    this.status = status
    this.field = details?.field
  }
}

/** Anything that was thrown, as a {@link Problem}. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem({ code: 'INTERNAL', detail: error instanceof Error ? error.message : String(error), status: 0 })
}

/** Reads the problem of an unsuccessful response. */
export async function readProblem(response: Response): Promise<Problem> {
  const { status } = response
  const body: Partial<ProblemBody> = await response.json().catch(() => ({}))
  return new Problem({ code: 'INTERNAL', detail: `the server responded with status ${status}`, ...body, status })
}

/** The server cannot be reached. */
export const unreachable = () =>
  new Problem({ code: 'UNREACHABLE', detail: 'Cannot reach the server. Is it still running?', status: 0 })

/** The request was sent, but no response arrived in time. */
export const timedOut = () =>
  new Problem({
    code: 'TIMEOUT',
    detail:
      'The server did not respond in time. The request may have been processed; sending it again will not repeat it.',
    status: 0,
  })
