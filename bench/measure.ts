/** One thing to measure: sets up, runs a round of `operations`, cleans up. */
export interface Competitor {
  name: string
  /** Performs the round and gives the latency of each operation in milliseconds, in any order. */
  round(): Promise<{ operations: number; latencies: number[] }>
  /** What went wrong that a figure alone would hide: events lost, gaps. Empty when all is well. */
  check?(): Promise<string>
  close(): Promise<void>
}

export interface Result {
  name: string
  /** Operations per second, median of the rounds. */
  perSecond: number
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
      const { operations, latencies: each } = await run()
      if (round === 0) continue
      const seconds = (performance.now() - start) / 1000
      rates.set(name, [...(rates.get(name) ?? []), operations / seconds])
      latencies.set(name, (latencies.get(name) ?? []).concat(each))
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
