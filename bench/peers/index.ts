import type { Entrant } from '../contender.ts'
import { adkPostgres, adkSqlite } from './adk.ts'
import { emmettPostgres, emmettSqlite } from './emmett.ts'
import { langgraphPostgres, langgraphSqlite } from './langgraph.ts'
import { mastraPostgres, mastraSqlite } from './mastra.ts'
import { openaiMemory } from './openai.ts'

/** Other stores for agents. Each loads its packages when it is opened, so one that is broken does not stop the rest. */
export const PEERS: { sqlite: Entrant[]; postgres: Entrant[]; memory: Entrant[] } = {
  sqlite: [langgraphSqlite, adkSqlite, mastraSqlite, emmettSqlite],
  postgres: [langgraphPostgres, adkPostgres, mastraPostgres, emmettPostgres],
  memory: [openaiMemory],
}
