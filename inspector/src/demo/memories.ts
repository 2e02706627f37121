import type { JsonObject } from '../api/types.ts'
import { type Cast, eventsOf, remember, type Step, type Told } from './script.ts'

/** What the finished session leaves for later ones, each traced to the events that it comes from. */
export function memories(cast: Cast): Step[] {
  const weigh = (memory: string, how: string, body: (told: Told) => JsonObject): Step => ({
    path: (told) => `/memories/${told.id(memory)}/${how}`,
    body,
  })
  const from = (told: Told, step: string, first: number, last = first) => eventsOf(told, 'finished', step, first, last)
  return [
    remember(cast, 'memory-doubles', (told) => ({
      content: 'Checkout charged twice because its retry sent no idempotency key to the payment provider',
      category: 'facts',
      sourceType: 'implicit',
      confidence: 0.7,
      source: from(told, 'doubles', 1, 3),
      metadata: { ticket: 'CHK-418' },
    })),
    weigh('memory-doubles', 'corroborate', () => ({
      source: 'postmortem CHK-418',
      note: 'The postmortem came to the same',
    })),
    weigh('memory-doubles', 'corroborate', (told) => ({
      ...from(told, 'timeouts', 3),
      note: 'The log has 13 of them',
    })),
    remember(cast, 'memory-timeout', (told) => ({
      content: 'The payment timeout of checkout is 2 seconds',
      category: 'facts',
      sourceType: 'tool_output',
      source: from(told, 'timeouts', 5),
    })),
    weigh('memory-timeout', 'contradict', () => ({
      content: 'The payment timeout of checkout is 8 seconds, since version 4.12.1',
      source: 'deployments.log',
      note: 'Raised until the retry is mended',
    })),
    remember(cast, 'memory-care', (told) => ({
      content: 'Change nothing in production while the cause of an incident is still being looked for',
      category: 'rules',
      source: from(told, 'timeouts', 1),
    })),
    remember(cast, 'memory-style', () => ({
      content: 'Prefers short answers with a table where numbers are compared',
      category: 'preferences',
      sourceType: 'implicit',
      confidence: 0.55,
      source: { source: 'onboarding form' },
    })),
  ]
}
