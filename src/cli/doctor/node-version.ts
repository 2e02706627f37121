import { requiredNode } from '../../version.ts'
import { type Check, fail, ok } from './check.ts'

/** Checks that this Node.js is new enough for the package. */
export function checkNode(version = process.versions.node): Check {
  const needed = requiredNode()
  const found = `${version} on ${process.platform} ${process.arch}`
  if (!isOlderVersion(version, needed)) return ok('node', found)
  return fail('node', found, `install Node.js ${needed} or newer`)
}

/** Compares major and minor versions. */
export function isOlderVersion(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = needed.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
}
