import { existsSync, readFileSync } from 'node:fs'

/** The packages that are measured, with what they stand on. */
const PACKAGES = [
  '@langchain/langgraph-checkpoint',
  '@langchain/langgraph-checkpoint-sqlite',
  '@langchain/langgraph-checkpoint-postgres',
  '@google/adk',
  '@mikro-orm/core',
  '@mastra/core',
  '@mastra/libsql',
  '@mastra/pg',
  '@event-driven-io/emmett-sqlite',
  '@event-driven-io/emmett-postgresql',
  '@openai/agents-core',
  'better-sqlite3',
  'libsql',
  'sqlite3',
  'pg',
]

/** Name and version of each package that is installed here. */
export function peerVersions(): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of PACKAGES) {
    // not by import: many packages do not export their package.json
    const file = new URL(`../node_modules/${name}/package.json`, import.meta.url)
    if (!existsSync(file)) continue
    found[name] = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  }
  return found
}
