import { readFileSync } from 'node:fs'
import { packageFile } from './package-file.ts'

interface Manifest {
  version: string
  engines: { node: string }
}

let manifest: Manifest | undefined

/** package.json, read once. */
function readManifest(): Manifest {
  manifest ??= JSON.parse(readFileSync(packageFile('../package.json'), 'utf8')) as Manifest
  return manifest
}

/** The version of this package. */
export const packageVersion = () => readManifest().version

/** The oldest version of Node that this package supports. */
export const requiredNode = () => readManifest().engines.node.replace(/^\D+/, '')
