import { readFileSync } from 'node:fs'
import { PACKAGE_JSON } from './package-file.ts'

/** The version of this package. */
export function packageVersion(): string {
  const text = readFileSync(PACKAGE_JSON, 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
