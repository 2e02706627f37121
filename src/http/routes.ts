import { agentsRoutes } from '../features/agents/route.ts'
import { compactionRoutes } from '../features/compaction/route.ts'
import { contextRoutes } from '../features/context/route.ts'
import { conversationRoutes } from '../features/conversations/route.ts'
import { envelopeRoutes } from '../features/envelope/route.ts'
import { lifecycleRoutes } from '../features/lifecycle/route.ts'
import { logRoutes } from '../features/log/route.ts'
import { maintenanceRoutes } from '../features/maintenance/route.ts'
import { memoryRoutes } from '../features/memory/route.ts'
import { messagesRoutes } from '../features/messages/route.ts'
import { purgeRoutes } from '../features/purge/route.ts'
import { recallRoutes } from '../features/recall/route.ts'
import { rewindRoutes } from '../features/rewind/route.ts'
import { runsRoutes } from '../features/runs/route.ts'
import { sessionsRoutes } from '../features/sessions/route.ts'
import { stateRoutes } from '../features/state/route.ts'
import { transferRoutes } from '../features/transfer/route.ts'
import { usageRoutes } from '../features/usage/route.ts'
import { workRoutes } from '../features/work/route.ts'
import type { Route } from './route.ts'

/** Every route of every room. */
export const ROUTES: readonly Route[] = [
  ...sessionsRoutes,
  ...logRoutes,
  ...messagesRoutes,
  ...rewindRoutes,
  ...stateRoutes,
  ...agentsRoutes,
  ...envelopeRoutes,
  ...lifecycleRoutes,
  ...runsRoutes,
  ...conversationRoutes,
  ...workRoutes,
  ...compactionRoutes,
  ...contextRoutes,
  ...memoryRoutes,
  ...usageRoutes,
  ...recallRoutes,
  ...purgeRoutes,
  ...maintenanceRoutes,
  ...transferRoutes,
]
