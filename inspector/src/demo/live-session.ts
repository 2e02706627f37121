import { liveBeginning } from './live-beginning.ts'
import { liveEnding } from './live-ending.ts'
import { liveMiddle } from './live-middle.ts'
import type { Cast, Step } from './script.ts'

/** The session that the demo leads to: a dozen turns, three agents, and a question that waits for its answer. */
export const liveSession = (cast: Cast): Step[] => [...liveBeginning(cast), ...liveMiddle(cast), ...liveEnding(cast)]
