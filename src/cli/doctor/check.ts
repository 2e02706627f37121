/** Result of one check. */
export interface Check {
  name: string
  status: 'ok' | 'warn' | 'fail'
  found: string
  /** Next step if the check did not pass. */
  advice?: string
}

export const ok = (name: string, found: string): Check => ({ name, status: 'ok', found })

export function warn(name: string, found: string, advice: string): Check {
  return { name, status: 'warn', found, advice }
}

export function fail(name: string, found: string, advice: string): Check {
  return { name, status: 'fail', found, advice }
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** `412 B`, `3.4 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** `0.4 ms`, `12 ms`, `1.3 s`. */
export function formatDuration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
}
