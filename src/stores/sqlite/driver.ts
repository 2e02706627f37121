import { fileURLToPath } from 'node:url'
import { existsSync } from '../files.ts'

/** Where musl has its loader. */
const MUSL: Record<string, string> = { x64: '/lib/ld-musl-x86_64.so.1', arm64: '/lib/ld-musl-aarch64.so.1' }

/**
 * Which program of its own the driver is to take, as an option of it. Left to itself it learns from a report on the whole process, which takes
 * 5 ms, whether Linux runs on musl. A process that does has musl's loader: where there is none the other program is the right one. Nothing where
 * that is not sure, or the program is not where this version of the driver has it.
 */
export function knownProgram(place = () => import.meta.resolve('better-sqlite3')): { nativeBinding?: string } {
  const loader = process.platform === 'linux' ? MUSL[process.arch] : undefined
  if (loader === undefined || existsSync(loader)) return {}
  try {
    const program = fileURLToPath(new URL(`../prebuilds/linux-${process.arch}.node`, place()))
    return existsSync(program) ? { nativeBinding: program } : {}
  } catch {
    // the code was put together with something that does not say where the driver is
    return {}
  }
}
