/** Pure values of the server's domain. Besides these, the page bundles only the demo from `src/`. */

export {
  APPENDABLE_TYPES,
  answeredCallId,
  RECORDED_TYPES,
  startsTurn,
  TURN_TYPES,
  toolCallsOf,
} from '../../src/domain/event.ts'
export { DECISION, hasFailed, isLabel, isNode, NODE_KINDS, observationsOf, TASK_NODE } from '../../src/domain/graph.ts'
export { isObject } from '../../src/domain/json.ts'
export { isAllowed, LIFECYCLE, LIVE_STATES, type LiveState } from '../../src/domain/lifecycle.ts'
export { LIMITS } from '../../src/domain/limits.ts'
export { MEMORY_CATEGORIES } from '../../src/domain/memory/memory.ts'
export { endTime, isFinal, SESSION_STATES } from '../../src/domain/record.ts'
export { hiddenAfter, isHidden } from '../../src/domain/rewind.ts'
export { isRunOutcome } from '../../src/domain/run.ts'
export { toolTable } from '../../src/domain/tools/tool-table.ts'
export { TOOL_WORK_TYPES, toolFold } from '../../src/domain/tools/tool-work.ts'
export { typedCommand } from '../../src/domain/typed-command.ts'
export { addSums, NO_USAGE, sumsOf, usageOf } from '../../src/domain/usage.ts'
