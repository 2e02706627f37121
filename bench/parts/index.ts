import type { Part } from '../part.ts'
import { APPEND } from './append.ts'
import { CREATE, READ, UPDATE } from './calls.ts'
import { CEILING } from './ceilings.ts'
import { CONTEXT } from './context.ts'
import { ENVELOPE } from './envelope.ts'
import { HTTP } from './http.ts'
import { LIST } from './list.ts'
import { MAINTENANCE } from './maintenance.ts'
import { INDEXED, RECALL } from './recall.ts'
import { RECENT } from './recent.ts'
import { RUNS } from './runs.ts'
import { SERVER_TIME } from './server-time.ts'
import { SIZE } from './size.ts'
import { START } from './start.ts'

/** In the order in which a whole run goes through them. */
export const PARTS: readonly Part[] = [
  ...[
    APPEND,
    SERVER_TIME,
    RECENT,
    READ,
    CREATE,
    UPDATE,
    LIST,
    RUNS,
    CONTEXT,
    MAINTENANCE,
    SIZE,
    START,
    CEILING,
    ENVELOPE,
  ],
  ...[RECALL, INDEXED, HTTP],
]
