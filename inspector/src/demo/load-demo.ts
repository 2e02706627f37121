import { call, get } from '../api/client.ts'
import type { Json } from '../api/types.ts'
import { finishedSession } from './finished-session.ts'
import { liveSession } from './live-session.ts'
import { memories } from './memories.ts'
import { otherSessions } from './other-sessions.ts'
import type { Cast, Step, Told } from './script.ts'

/** How far the demo is. */
export interface DemoProgress {
  readonly done: number
  readonly of: number
}

/** The run that broke off, if one did: a repeat goes on with it, and what it wrote already is not written again. */
let unfinished: string | undefined

/** Plays the demo conversation through the API of the server, and gives the id of its live session. Throws a `Problem`. */
export async function loadDemo(onProgress: (progress: DemoProgress) => void): Promise<string> {
  const run = unfinished ?? `demo-${randomHex(4)}`
  unfinished = run
  const steps = script(await castOf(run))
  const told = new Answers()
  for (const [place, { as, method = 'POST', path, body }] of steps.entries()) {
    onProgress({ done: place, of: steps.length })
    const answer = await call<Json>(path(told), { method, body: body(told), key: `${run}/${place}` })
    if (as !== undefined) told.add(as, answer)
  }
  onProgress({ done: steps.length, of: steps.length })
  unfinished = undefined
  return told.id('live')
}

/** Every step, in its order. What the user works on last is written last: it stands first in the list. */
function script(cast: Cast): Step[] {
  return [...otherSessions(cast), ...finishedSession(cast), ...memories(cast), ...liveSession(cast)]
}

interface About {
  readonly agents: readonly string[]
  readonly principal?: { readonly userId?: string }
}

async function castOf(conversationId: string): Promise<Cast> {
  const { agents, principal } = await get<About>('')
  const [lead = 'agent', planner = lead, analyst = planner] = agents
  return { userId: principal?.userId ?? 'ada', conversationId, lead, planner, analyst }
}

class Answers implements Told {
  readonly #answers = new Map<string, { id?: string; sequence?: number; items?: { sequence: number }[] }>()

  add(step: string, answer: Json): void {
    this.#answers.set(step, answer as object)
  }

  id(name: string): string {
    return this.#answers.get(name)?.id ?? ''
  }

  sequence(step: string): number {
    const { items, sequence = 1 } = this.#answers.get(step) ?? {}
    return items?.[0]?.sequence ?? sequence
  }
}

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
}
