import type { Tool } from './tool.ts'
import { agentTools } from './tools/agents.ts'
import { contextTools } from './tools/context.ts'
import { eventTools } from './tools/events.ts'
import { lifecycleTools } from './tools/lifecycle.ts'
import { memoryTools } from './tools/memory.ts'
import { requestTools } from './tools/requests.ts'
import { runTools } from './tools/runs.ts'
import { scratchpadTools } from './tools/scratchpad.ts'
import { sessionTools } from './tools/sessions.ts'
import { workTools } from './tools/work.ts'

/** Every tool, in the order a task usually needs them. */
export const TOOLS: readonly Tool[] = [
  ...sessionTools,
  ...eventTools,
  ...workTools,
  ...lifecycleTools,
  ...requestTools,
  ...agentTools,
  ...scratchpadTools,
  ...memoryTools,
  ...contextTools,
  ...runTools,
]
