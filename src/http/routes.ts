import { agentsRoutes } from '../features/agents/route.ts'
import { boundaryRoutes } from '../features/boundary/route.ts'
import { compactionRoutes } from '../features/compaction/route.ts'
import { contextRoutes } from '../features/context/route.ts'
import { envelopeRoutes } from '../features/envelope/route.ts'
import { logRoutes } from '../features/log/route.ts'
import { memoryRoutes } from '../features/memory/route.ts'
import { messagesRoutes } from '../features/messages/route.ts'
import { purgeRoutes } from '../features/purge/route.ts'
import { recallRoutes } from '../features/recall/route.ts'
import type { Route } from '../features/route.ts'
import { sessionsRoutes } from '../features/sessions/route.ts'
import { stateRoutes } from '../features/state/route.ts'
import { transferRoutes } from '../features/transfer/route.ts'
import { upkeepRoutes } from '../features/upkeep/route.ts'
import { workRoutes } from '../features/work/route.ts'

/** Every route of every room. */
export const ROUTES: readonly Route[] = [
  ...sessionsRoutes,
  ...logRoutes,
  ...messagesRoutes,
  ...stateRoutes,
  ...agentsRoutes,
  ...envelopeRoutes,
  ...boundaryRoutes,
  ...workRoutes,
  ...compactionRoutes,
  ...contextRoutes,
  ...memoryRoutes,
  ...recallRoutes,
  ...purgeRoutes,
  ...upkeepRoutes,
  ...transferRoutes,
]
