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
import { restricted } from './features/access.ts'
import { handOff, recordTransition, setActiveAgent, takeHandoff, transitionsOf } from './features/agents/operation.ts'
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
} from './features/boundary/operation.ts'
import type { Deps } from './features/deps.ts'
import { readEnvelope, updateEnvelope } from './features/envelope/operation.ts'
import { appendEvents, readEvents, recentEvents, snapshotAt } from './features/log/operation.ts'
import { tailEvents } from './features/log/tail.ts'
import { addMessages, clearMessages, readMessages } from './features/messages/operation.ts'
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
import { late } from './late.ts'

/**
 * Loaded on first use: who never recalls does not pay for it. What writes into a log as an agent works is there from the start, so that calls
 * which nobody waits for keep their order.
 */
const conversing = late(() => import('./features/boundary/conversations.ts'))
const sweeping = late(() => import('./features/boundary/sweep.ts'))
const compacting = late(() => import('./features/compaction/operation.ts'))
const fitting = late(() => import('./features/context/operation.ts'))
const recalling = late(() => import('./features/recall/operation.ts'))
const remembering = late(() => import('./features/memory/operation.ts'))
const operating = late(() => import('./features/envelope/fleet.ts'))
const transferring = late(() => import('./features/transfer/operation.ts'))
const keeping = late(() => import('./features/upkeep/operation.ts'))
const purging = late(() => import('./features/purge/operation.ts'))

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
    users: { purge: async (userId, options) => (await purging()).purgeUser(deps, userId, options) },
    as: (principal) => throughlineOn(restricted(deps, principal), async () => {}),
    verify: async (sessionId, options) => (await keeping()).verifySessions(deps, sessionId, options),
    rebuild: async (sessionId, options) => (await keeping()).rebuildSessions(deps, sessionId, options),
    migrate: async () => {
      const { schema } = await deps.store.health()
      return schema === undefined ? {} : { schema }
    },
    recall: async (query) => (await recalling()).recall(deps, query),
    index: async (options) => (await recalling()).indexLogs(deps, options),
    sweep: async (options) => (await sweeping()).sweepSessions(deps, options),
    async *export(options) {
      yield* (await transferring()).exportSessions(deps, options)
    },
    import: async (blocks, options) => (await transferring()).importSessions(deps, blocks, options),
    health: async () => (await keeping()).healthOf(deps),
    close,
  }
}

function envelopesOn(deps: Deps): Envelopes {
  return {
    backfill: async (options) => (await operating()).backfill(deps, options),
    rollback: async (options) => (await operating()).rollback(deps, options),
    warm: async (options) => (await operating()).warm(deps, options),
    async *cached() {
      yield* (await operating()).cachedEnvelopes(deps)
    },
  }
}

function intakeOn(deps: Deps): Intake {
  return {
    pause: async () => (await operating()).pauseIntake(deps),
    resume: async () => (await operating()).resumeIntake(deps),
    status: async () => (await operating()).intakeStatus(deps),
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
    purge: async (id) => (await purging()).purgeSession(deps, id),
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
    observe: observeOn(deps, id),
    flushStep: (options) => flushStep(deps, id, options),
    graph: (query) => readGraph(deps, id, query),
    progress: () => progressOf(deps, id),
    compact: async (summary, options) => (await compacting()).compactSession(deps, id, { ...options, summary }),
    reduce: async (options) => (await fitting()).reduceContext(deps, id, options),
    context: (async (options: Parameters<Session['context']>[0]) =>
      (await fitting()).buildContext(deps, id, options)) as Session['context'],
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
      shown(await (await conversing()).handleMessage(deps, id, message, options)) as Outcome,
    resume: async (id, scope) => shown(await (await conversing()).resumeConversation(deps, id, scope)) as Resumed,
    decline: async (id, scope, options) =>
      shown(await (await conversing()).declineSession(deps, id, scope, options)) as Resumed,
    commits: async (id, options) => (await compacting()).commitsOf(deps, id, options),
  }
}

function memoriesOn(deps: Deps): Memories {
  return {
    // one operation behind both signatures: what is given decides what comes back
    remember: (async (input: Parameters<Memories['remember']>[0], options?: WriteOptions) =>
      (await remembering()).remember(deps, input, options)) as Memories['remember'],
    search: async (query) => (await remembering()).searchMemories(deps, query),
    get: async (id) => (await remembering()).getMemory(deps, id),
    list: async (query) => (await remembering()).memoriesOf(deps, query),
    corroborate: async (id, evidence, options) => (await remembering()).corroborate(deps, id, evidence, options),
    contradict: async (id, evidence, options) => (await remembering()).contradict(deps, id, evidence, options),
    history: async (id) => (await remembering()).historyOf(deps, id),
    forget: async (what: string | ForgetSource, options?: WriteOptions) =>
      (await remembering()).forget(deps, what, options),
    extract: async (sessionId) => (await remembering()).extractMemories(deps, sessionId),
  }
}
