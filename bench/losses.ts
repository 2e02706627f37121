/** The mark at the start of a message: its writer, and its number among the writer's messages. */
export function markOf(writer: number, number: number): string {
  return `w${writer}.${number} `
}

/** Stored messages compared with acknowledged ones. */
export interface Losses {
  acknowledged: number
  lost: number
  doubled: number
  /** Messages stored before an earlier one of the same writer. */
  disordered: number
}

/**
 * @param acknowledged for each writer how many messages it wrote, numbered from 0
 * @param contents of one session, in its order
 */
export function lossesOf(acknowledged: ReadonlyMap<number, number>, contents: readonly string[]): Losses {
  const seen = new Map<number, Set<number>>()
  const last = new Map<number, number>()
  let doubled = 0
  let disordered = 0
  for (const content of contents) {
    const mark = /^w(\d+)\.(\d+) /.exec(content)
    if (mark === null) continue
    const writer = Number(mark[1])
    const number = Number(mark[2])
    const numbers = seen.get(writer) ?? new Set()
    seen.set(writer, numbers)
    if (numbers.has(number)) doubled++
    else if (number < (last.get(writer) ?? -1)) disordered++
    numbers.add(number)
    last.set(writer, number)
  }
  let all = 0
  let lost = 0
  for (const [writer, count] of acknowledged) {
    all += count
    for (let number = 0; number < count; number++) if (seen.get(writer)?.has(number) !== true) lost++
  }
  return { acknowledged: all, lost, doubled, disordered }
}

export function addLosses(a: Losses, b: Losses): Losses {
  return {
    acknowledged: a.acknowledged + b.acknowledged,
    lost: a.lost + b.lost,
    doubled: a.doubled + b.doubled,
    disordered: a.disordered + b.disordered,
  }
}

/** The text for the table. */
export function describeLosses({ acknowledged, lost, doubled, disordered }: Losses): string {
  const share = (count: number) => {
    const percent = (100 * count) / acknowledged
    return `${percent >= 1 ? Math.round(percent) : percent.toPrecision(1)} %`
  }
  const told = [
    lost > 0 ? `${share(lost)} lost` : '',
    doubled > 0 ? `${share(doubled)} doubled` : '',
    disordered > 0 ? `${share(disordered)} out of order` : '',
  ].filter(Boolean)
  return told.length === 0 ? 'nothing lost' : told.join(', ')
}
