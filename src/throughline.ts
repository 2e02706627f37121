import type {
  Conversations,
  Envelopes,
  ForgetSource,
  Intake,
  Memories,
  Outcome,
  Resumed,
  Session,
  Sessions,
  Throughline,
  WriteOptions,
} from './api.ts'
import { handOff, recordTransition, setActiveAgent, takeHandoff, transitionsOf } from './features/agents/operation.ts'
import { readEnvelope, updateEnvelope } from './features/envelope/operation.ts'
import { restricted } from './features/kernel/access.ts'
import type { Deps } from './features/kernel/deps.ts'
import {
  abort,
  answer,
  ask,
  confirm,
  continueWith,
  endSession,
  incorporate,
  interrupt,
  propose,
} from './features/lifecycle/operation.ts'
import { appendEvents, readEvents, recentEvents, snapshotAt } from './features/log/operation.ts'
import { tailEvents } from './features/log/tail.ts'
import { addMessages, clearMessages, readMessages } from './features/messages/operation.ts'
import { branchesOf, replaceMessage, rewindSession } from './features/rewind/operation.ts'
import {
  findActive,
  findSession,
  findSessions,
  forkSession,
  getOrStartSession,
  sessionRecord,
  startSession,
} from './features/sessions/operation.ts'
import {
  addToState,
  incrementState,
  passGate,
  replaceState,
  sessionState,
  updateState,
} from './features/state/operation.ts'
import { flushStep, observeOn, progressOf, readGraph } from './features/work/operation.ts'
import { lazy } from './lazy.ts'

/**
 * Rooms loaded on first use, so startup does not pay for unused features. Rooms that write to the log while an agent
 * works are loaded at once: calls that nobody awaits must keep their order.
 */
const conversations = lazy(() => import('./features/conversations/operation.ts'))
const sweep = lazy(() => import('./features/maintenance/sweep.ts'))
const compaction = lazy(() => import('./features/compaction/operation.ts'))
const context = lazy(() => import('./features/context/operation.ts'))
const recall = lazy(() => import('./features/recall/operation.ts'))
const memory = lazy(() => import('./features/memory/operation.ts'))
const operator = lazy(() => import('./features/envelope/operator.ts'))
const transfer = lazy(() => import('./features/transfer/operation.ts'))
const maintenance = lazy(() => import('./features/maintenance/operation.ts'))
const purge = lazy(() => import('./features/purge/operation.ts'))
const runs = lazy(async () => ({
  ...(await import('./features/runs/hold.ts')),
  ...(await import('./features/runs/operation.ts')),
}))
const usage = lazy(() => import('./features/usage/operation.ts'))

/** The public object over a store: each call is one operation of a room. */
export function throughlineOn(deps: Deps, close: () => Promise<void>): Throughline {
  return {
    sessions: sessionsOn(deps),
    agents: deps.agents,
    ...(deps.within !== undefined && { principal: deps.within }),
    conversations: conversationsOn(deps),
    memories: memoriesOn(deps),
    envelopes: envelopesOn(deps),
    intake: intakeOn(deps),
    users: { purge: async (userId, options) => (await purge()).purgeUser(deps, userId, options) },
    as: (principal) => throughlineOn(restricted(deps, principal), async () => {}),
    verify: async (sessionId, options) => (await maintenance()).verifySessions(deps, sessionId, options),
    rebuild: async (sessionId, options) => (await maintenance()).rebuildSessions(deps, sessionId, options),
    migrate: async () => {
      const { schema } = await deps.store.health()
      return schema === undefined ? {} : { schema }
    },
    recall: async (query) => (await recall()).recall(deps, query),
    claim: async (options) => await (await runs()).claimSession(deps, options, sessionOn),
    usage: async (query) => (await usage()).reportUsage(deps, query),
    storage: async (query) => (await usage()).reportStorage(deps, query),
    index: async (options) => (await recall()).indexLogs(deps, options),
    sweep: async (options) => (await sweep()).sweepSessions(deps, options),
    async *export(options) {
      yield* (await transfer()).exportSessions(deps, options)
    },
    import: async (blocks, options) => (await transfer()).importSessions(deps, blocks, options),
    health: async () => (await maintenance()).healthOf(deps),
    close,
  }
}

function envelopesOn(deps: Deps): Envelopes {
  return {
    backfill: async (options) => (await operator()).backfill(deps, options),
    rollback: async (options) => (await operator()).rollback(deps, options),
    warm: async (options) => (await operator()).warm(deps, options),
    async *cached() {
      yield* (await operator()).cachedEnvelopes(deps)
    },
  }
}

function intakeOn(deps: Deps): Intake {
  return {
    pause: async () => (await operator()).pauseIntake(deps),
    resume: async () => (await operator()).resumeIntake(deps),
    status: async () => (await operator()).intakeStatus(deps),
  }
}

function sessionsOn(deps: Deps): Sessions {
  return {
    create: async (input) => sessionOn(deps, await startSession(deps, input)),
    getOrCreate: async (input) => sessionOn(deps, await getOrStartSession(deps, input)),
    active: async (scope) => {
      const id = await findActive(deps, scope)
      return id === undefined ? undefined : sessionOn(deps, id)
    },
    get: async (id) => sessionOn(deps, await findSession(deps, id)),
    list: (query) => findSessions(deps, query),
    purge: async (id) => (await purge()).purgeSession(deps, id),
  }
}

function sessionOn(deps: Deps, id: string): Session {
  return {
    id,
    record: () => sessionRecord(deps, id),
    append: (events, options) => appendEvents(deps, id, events, options),
    events: (query) => readEvents(deps, id, query),
    recent: (options) => recentEvents(deps, id, options),
    tail: (options) => tailEvents(deps, id, options),
    at: (sequence) => snapshotAt(deps, id, sequence),
    fork: async (options) => sessionOn(deps, await forkSession(deps, id, options)),
    addMessage: (message, options) => addMessages(deps, id, message, options),
    // one operation behind both signatures: the format decides what comes back
    messages: ((query?: Parameters<typeof readMessages>[2]) => readMessages(deps, id, query)) as Session['messages'],
    clear: (options) => clearMessages(deps, id, options),
    rewind: (rewind, options) => rewindSession(deps, id, { ...rewind, ...options }),
    branches: (query) => branchesOf(deps, id, query),
    replaceMessage: (sequence, message, options) => replaceMessage(deps, id, { ...options, sequence, message }),
    state: () => sessionState(deps, id),
    updateState: (patch, options) => updateState(deps, id, patch, options),
    replaceState: (value, options) => replaceState(deps, id, value, options),
    addToState: (key, value, options) => addToState(deps, id, { ...options, key, value }),
    incrementState: (key, by, options) => incrementState(deps, id, { ...options, key, by }),
    passGate: (gate, note, options) => passGate(deps, id, { ...options, gate, note }),
    handoff: (handoff, options) => handOff(deps, id, handoff, options),
    takeHandoff: (options) => takeHandoff(deps, id, options),
    setActiveAgent: (agent, options) => setActiveAgent(deps, id, { ...options, agent }),
    recordTransition: (transition, options) => recordTransition(deps, id, transition, options),
    transitions: () => transitionsOf(deps, id),
    envelope: () => readEnvelope(deps, id),
    updateEnvelope: (patch, options) => updateEnvelope(deps, id, patch, options),
    ask: (question, options) => ask(deps, id, { ...options, question }),
    answer: (text, options) => answer(deps, id, { ...options, text }),
    interrupt: (text, options) => interrupt(deps, id, { ...options, text }),
    incorporate: (note, options) => incorporate(deps, id, { ...options, note }),
    propose: (summary, options) => propose(deps, id, { ...options, summary }),
    confirm: (options) => confirm(deps, id, options),
    continueWith: (request, options) => continueWith(deps, id, { ...options, request }),
    abort: (reason, options) => abort(deps, id, { ...options, reason }),
    end: (options) => endSession(deps, id, options),
    run: async (options) => await (await runs()).runSession(deps, id, options, sessionOn),
    runs: async () => await (await runs()).listRuns(deps, id),
    cancel: async (options) => await (await runs()).cancelRun(deps, id, options),
    wakeAt: async (time, options) => await (await runs()).scheduleWake(deps, id, { ...options, at: time }),
    observe: observeOn(deps, id),
    flushStep: (options) => flushStep(deps, id, options),
    graph: (query) => readGraph(deps, id, query),
    progress: () => progressOf(deps, id),
    compact: async (summary, options) => (await compaction()).compactSession(deps, id, { ...options, summary }),
    reduce: async (options) => (await context()).reduceContext(deps, id, options),
    context: (async (options: Parameters<Session['context']>[0]) =>
      (await context()).buildContext(deps, id, options)) as Session['context'],
  }
}

function conversationsOn(deps: Deps): Conversations {
  const shown = <T extends { sessionId?: string; endedId?: string }>({ sessionId, endedId, ...rest }: T) => ({
    ...rest,
    ...(sessionId !== undefined && { session: sessionOn(deps, sessionId) }),
    ...(endedId !== undefined && { ended: sessionOn(deps, endedId) }),
  })
  return {
    handle: async (id, message, options) =>
      shown(await (await conversations()).handleMessage(deps, id, message, options)) as Outcome,
    resume: async (id, scope) => shown(await (await conversations()).resumeConversation(deps, id, scope)) as Resumed,
    decline: async (id, scope, options) =>
      shown(await (await conversations()).declineSession(deps, id, scope, options)) as Resumed,
    commits: async (id, options) => (await compaction()).commitsOf(deps, id, options),
  }
}

function memoriesOn(deps: Deps): Memories {
  return {
    // one operation behind both signatures: what is given decides what comes back
    remember: (async (input: Parameters<Memories['remember']>[0], options?: WriteOptions) =>
      (await memory()).remember(deps, input, options)) as Memories['remember'],
    search: async (query) => (await memory()).searchMemories(deps, query),
    get: async (id) => (await memory()).getMemory(deps, id),
    list: async (query) => (await memory()).memoriesOf(deps, query),
    corroborate: async (id, evidence, options) => (await memory()).corroborate(deps, id, evidence, options),
    contradict: async (id, evidence, options) => (await memory()).contradict(deps, id, evidence, options),
    history: async (id) => (await memory()).historyOf(deps, id),
    forget: async (what: string | ForgetSource, options?: WriteOptions) => (await memory()).forget(deps, what, options),
    extract: async (sessionId) => (await memory()).extractMemories(deps, sessionId),
  }
}
