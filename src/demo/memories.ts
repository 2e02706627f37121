import type { JsonObject } from '../domain/json.ts'
import { type Cast, eventsOf, type Results, remember, type Step } from './script.ts'

/** Memories of the finished session, each traced to the events it comes from. */
export function memories(cast: Cast): Step[] {
  const weigh = (
    memory: string,
    action: 'corroborate' | 'contradict',
    body: (results: Results) => JsonObject,
  ): Step => ({
    path: (results) => `/memories/${results.id(memory)}/${action}`,
    body,
  })
  const found = (results: Results, first: number, last?: number) => eventsOf(results, 'finished', 'found', first, last)
  return [
    remember(cast, 'memory-timeouts', (results) => ({
      content: 'Most connection failures of the gateway are timeouts that a second attempt survives',
      category: 'facts',
      sourceType: 'implicit',
      confidence: 0.7,
      source: found(results, 1, 4),
      metadata: { ticket: 'GW-418' },
    })),
    weigh('memory-timeouts', 'corroborate', () => ({
      source: 'postmortem GW-418',
      note: 'The postmortem came to the same conclusion',
    })),
    weigh('memory-timeouts', 'corroborate', (results) => ({ ...found(results, 3), note: '187 of 200 in the log' })),
    remember(cast, 'memory-delay', (results) => ({
      content: 'The connect timeout of the gateway is 2 seconds',
      category: 'facts',
      sourceType: 'tool_output',
      source: found(results, 3),
    })),
    weigh('memory-delay', 'contradict', () => ({
      content: 'The connect timeout of the gateway is 8 seconds since version 4.12.1',
      source: 'deployments.log',
      note: 'Raised together with the retries',
    })),
    remember(cast, 'memory-tests', (results) => ({
      content: 'Run all tests before you propose that a task is done',
      category: 'rules',
      source: found(results, 0),
    })),
    remember(cast, 'memory-style', () => ({
      content: 'Prefers short answers, with a table where numbers are compared',
      category: 'preferences',
      sourceType: 'implicit',
      confidence: 0.55,
      source: { source: 'onboarding form' },
    })),
  ]
}
