import { createRequire } from 'node:module'

/**
 * The drivers that Throughline itself uses. A plain import would find the copies of the peers in this package, which
 * may have other versions: raw and Throughline must use the same ones.
 */
const require = createRequire(new URL('../package.json', import.meta.url))

export const Database = require('better-sqlite3') as typeof import('better-sqlite3')
export const pg = require('pg') as typeof import('pg')
export const { Redis } = require('ioredis') as typeof import('ioredis')

/** Version of a package in the main install. */
export function versionOf(name: string): string {
  return (require(`${name}/package.json`) as { version: string }).version
}
