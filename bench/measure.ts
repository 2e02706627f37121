/** The latency of each operation in milliseconds, in any order; or the rate alone, from a program that measures itself. */
export type Round = { operations: number; latencies: number[] } | { perSecond: number }

/** One thing to measure: sets up, runs rounds, cleans up. */
export interface Competitor {
  name: string
  round(): Promise<Round>
  /** What went wrong that a figure alone would hide: events lost, gaps. Empty when all is well. */
  check?(): Promise<string>
  close(): Promise<void>
}

export interface Result {
  name: string
  /** Operations per second, median of the rounds. */
  perSecond: number
  /** Latencies in milliseconds; NaN where the competitor knows only its rate. */
  p50: number
  p99: number
  note: string
}

/** Runs the competitors in turns, so that a noisy moment of the machine meets them all. */
export async function alternate(competitors: readonly Competitor[], rounds: number): Promise<Result[]> {
  const rates = new Map<string, number[]>()
  const latencies = new Map<string, number[]>()
  // the first round only warms up
  for (let round = 0; round <= rounds; round++) {
    for (const { name, round: run } of competitors) {
      const start = performance.now()
      const done = await run()
      if (round === 0) continue
      const seconds = (performance.now() - start) / 1000
      const rate = 'perSecond' in done ? done.perSecond : done.operations / seconds
      rates.set(name, [...(rates.get(name) ?? []), rate])
      if ('latencies' in done) latencies.set(name, (latencies.get(name) ?? []).concat(done.latencies))
    }
  }
  const results: Result[] = []
  for (const { name, check, close } of competitors) {
    const sorted = (latencies.get(name) ?? []).sort((a, b) => a - b)
    results.push({
      name,
      perSecond: quantile(
        (rates.get(name) ?? []).sort((a, b) => a - b),
        0.5,
      ),
      p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99),
      note: (await check?.()) ?? '',
    })
    await close()
  }
  return results
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
