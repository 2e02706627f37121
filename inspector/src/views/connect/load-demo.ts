import { demoSteps } from '../../../../src/demo/demo-steps.ts'
import type { Cast, Results } from '../../../../src/demo/script.ts'
import { call } from '../../api/client.ts'
import { loadServerInfo } from '../../api/server-info.ts'
import type { Json } from '../../api/types.ts'
import { randomHex } from '../../parts/random-hex.ts'

/** Steps of the demo that are done. */
export interface DemoProgress {
  readonly done: number
  readonly total: number
}

/** The run that failed, if one did: a retry continues it, and what was written already is not written again. */
let unfinished: string | undefined

/** Plays the demo conversation through the API, and returns the id of its live session. Throws a `Problem`. */
export async function loadDemo(onProgress: (progress: DemoProgress) => void): Promise<string> {
  unfinished ??= `demo-${randomHex(4)}`
  const run = unfinished
  const steps = demoSteps(await castOf(run))
  const results = new StepResults()
  for (const [index, { as, method = 'POST', path, body }] of steps.entries()) {
    onProgress({ done: index, total: steps.length })
    const response = await call<Json>(path(results), { method, body: body(results), key: `${run}/${index}` })
    if (as !== undefined) results.add(as, response)
  }
  onProgress({ done: steps.length, total: steps.length })
  unfinished = undefined
  return results.id('live')
}

/** For a server without a fixed list of agents, which accepts any id. */
const ANY_AGENTS = ['lead', 'planner', 'analyst']

async function castOf(conversationId: string): Promise<Cast> {
  const { agents, principal } = await loadServerInfo()
  const [lead = 'lead', planner = lead, analyst = planner] = agents.length === 0 ? ANY_AGENTS : agents
  return { userId: principal?.userId ?? 'ada', conversationId, lead, planner, analyst }
}

class StepResults implements Results {
  readonly #responses = new Map<string, { id?: string; sequence?: number; items?: { sequence: number }[] }>()

  add(step: string, response: Json): void {
    this.#responses.set(step, response as object)
  }

  id(name: string): string {
    return this.#responses.get(name)?.id ?? ''
  }

  sequence(step: string): number {
    const { items, sequence = 1 } = this.#responses.get(step) ?? {}
    return items?.[0]?.sequence ?? sequence
  }
}
