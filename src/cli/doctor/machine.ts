import { readFileSync } from 'node:fs'
import { PACKAGE_JSON } from '../../package-file.ts'
import type { Check } from './check.ts'

/** Whether this Node is new enough for the package. */
export function nodeCheck(version = process.versions.node): Check {
  const needed = neededNode()
  const found = `${version} on ${process.platform} ${process.arch}`
  if (!isOlder(version, needed)) return { name: 'node', status: 'ok', found }
  return { name: 'node', status: 'fail', found, advice: `install Node.js ${needed} or newer` }
}

function neededNode(): string {
  const text = readFileSync(PACKAGE_JSON, 'utf8')
  return (JSON.parse(text) as { engines: { node: string } }).engines.node.replace(/^\D+/, '')
}

/** Compares the first two numbers of versions. */
export function isOlder(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = needed.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
}
