import { agentRules } from './api-agents.ts'
import { appendRules } from './api-append.ts'
import { apiChildRules } from './api-children.ts'
import { contextRules } from './api-context.ts'
import { conversationRules } from './api-conversations.ts'
import { apiEnvelopeRules } from './api-envelopes.ts'
import { inputRules } from './api-input.ts'
import { invariantRules } from './api-invariants.ts'
import { lifecycleRules } from './api-lifecycle.ts'
import { apiMemoryRules } from './api-memories.ts'
import { apiMemoryKeyRules } from './api-memory-keys.ts'
import { memorySourceRules } from './api-memory-sources.ts'
import { messageRules } from './api-messages.ts'
import { apiOwnerRules } from './api-owners.ts'
import { processRules } from './api-processes.ts'
import { quotaRules } from './api-quotas.ts'
import { apiReadRules } from './api-reading.ts'
import { recallRules } from './api-recall.ts'
import { rewindApiRules } from './api-rewind.ts'
import { apiRunRules } from './api-runs.ts'
import { serviceRules } from './api-service.ts'
import { apiSessionRules } from './api-sessions.ts'
import { stateRules } from './api-state.ts'
import { tailRules } from './api-tail.ts'
import { toolWorkRules } from './api-tool-work.ts'
import { transferRules } from './api-transfer.ts'
import { transferEdgeRules } from './api-transfer-edges.ts'
import { apiUsageRules } from './api-usage.ts'
import { apiWorkRules } from './api-work.ts'
import { type ApiDatabase, describeRules, type Harness, type Runner, type StoreDatabase } from './harness.ts'
import { childRules } from './store-children.ts'
import { derivedWorkRules } from './store-derived-work.ts'
import { envelopeRowRules } from './store-envelope-rows.ts'
import { envelopeRules } from './store-envelopes.ts'
import { importRules } from './store-imports.ts'
import { indexRules } from './store-index.ts'
import { intakeRules } from './store-intake.ts'
import { lookupRules } from './store-lookup.ts'
import { memoryRules } from './store-memories.ts'
import { memoryKeyRules } from './store-memory-keys.ts'
import { memoryMaintenanceRules } from './store-memory-maintenance.ts'
import { ownerRules } from './store-owners.ts'
import { readingRules } from './store-reading.ts'
import { rewindRules } from './store-rewinds.ts'
import { runRules } from './store-runs.ts'
import { scratchpadRules } from './store-scratchpads.ts'
import { sessionRules } from './store-sessions.ts'
import { storageRules } from './store-storage.ts'
import { usageRules } from './store-usage.ts'
import { workRules } from './store-work.ts'
import { writingRules } from './store-writing.ts'

/**
 * Runs the rules of the store ports as tests: S1 to S45 of the log, M1 to M13 of memories, I1 to I10 of the index,
 * E1 to E3 of envelopes, T1 to T7 of imports.
 */
export function describeSessionStore(harness: Harness<StoreDatabase>, runner: Runner): void {
  const rules = [
    ...writingRules,
    ...scratchpadRules,
    ...sessionRules,
    ...childRules,
    ...readingRules,
    ...rewindRules,
    ...ownerRules,
    ...workRules,
    ...usageRules,
    ...storageRules,
    ...derivedWorkRules,
    ...runRules,
    ...envelopeRules,
    ...envelopeRowRules,
    ...intakeRules,
    ...importRules,
    ...memoryRules,
    ...memoryMaintenanceRules,
    ...memoryKeyRules,
    ...indexRules,
    ...lookupRules,
  ]
  describeRules('the store port', rules, harness, runner)
}

/** Runs the rules of the public API, A1 to A35, as tests. */
export function describeThroughline(harness: Harness<ApiDatabase>, runner: Runner): void {
  const rules = [
    ...apiSessionRules,
    ...apiChildRules,
    ...appendRules,
    ...inputRules,
    ...apiReadRules,
    ...tailRules,
    ...messageRules,
    ...rewindApiRules,
    ...stateRules,
    ...agentRules,
    ...serviceRules,
    ...lifecycleRules,
    ...apiRunRules,
    ...apiWorkRules,
    ...toolWorkRules,
    ...conversationRules,
    ...contextRules,
    ...apiUsageRules,
    ...quotaRules,
    ...apiMemoryRules,
    ...memorySourceRules,
    ...apiMemoryKeyRules,
    ...recallRules,
    ...apiEnvelopeRules,
    ...invariantRules,
    ...apiOwnerRules,
    ...processRules,
    ...transferRules,
    ...transferEdgeRules,
  ]
  describeRules('the API', rules, harness, runner)
}
