import { agentRules } from './api-agents.ts'
import { appendRules } from './api-append.ts'
import { inputRules } from './api-input.ts'
import { messageRules } from './api-messages.ts'
import { namedRules } from './api-named.ts'
import { ownersRules } from './api-owners.ts'
import { processRules } from './api-processes.ts'
import { readRules } from './api-reading.ts'
import { serviceRules } from './api-service.ts'
import { sessionsRules } from './api-sessions.ts'
import { stateRules } from './api-state.ts'
import { tailRules } from './api-tail.ts'
import { type ApiDatabase, describeRules, type Harness, type Runner, type StoreDatabase } from './harness.ts'
import { ownerRules } from './store-owners.ts'
import { readingRules } from './store-reading.ts'
import { sessionRules } from './store-sessions.ts'
import { writingRules } from './store-writing.ts'

/** Runs the rules of the store's port, S1 to S22, as tests. */
export function describeSessionStore(harness: Harness<StoreDatabase>, runner: Runner): void {
  describeRules('the store port', [...writingRules, ...sessionRules, ...readingRules, ...ownerRules], harness, runner)
}

/** Runs the rules of the public API, A1 to A16, as tests. */
export function describeThroughline(harness: Harness<ApiDatabase>, runner: Runner): void {
  const rules = [
    ...sessionsRules,
    ...appendRules,
    ...inputRules,
    ...readRules,
    ...tailRules,
    ...messageRules,
    ...stateRules,
    ...agentRules,
    ...serviceRules,
    ...namedRules,
    ...ownersRules,
    ...processRules,
  ]
  describeRules('the API', rules, harness, runner)
}
