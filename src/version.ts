import { readFileSync } from 'node:fs'

/** The version of this package. */
export function packageVersion(): string {
  // the same path from src and from dist
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
