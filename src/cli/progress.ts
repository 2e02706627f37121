import type { UpkeepOptions } from '../api.ts'
import { counted } from './text.ts'

type OnProgress = NonNullable<UpkeepOptions['onProgress']>

/** Milliseconds between two looks of the line. */
const PAUSE = 100
const WIDTH = 20

/** Runs long work with one line on stderr that says how far it is; without a line where stderr is no terminal. */
export async function withProgress<T>(doing: string, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const { stderr } = process
  if (!stderr.isTTY) return await work(() => {})

  let shown = performance.now()
  const clear = () => stderr.write('\r\x1b[K')
  process.once('exit', clear)
  try {
    return await work(({ sessions, events, of }) => {
      if (performance.now() - shown < PAUSE) return
      shown = performance.now()
      const share = Math.min(1, of.events === 0 ? 1 : events / of.events)
      stderr.write(`\r\x1b[K${bar(share)} ${doing} ${counted(sessions, 'session')}, ${counted(events, 'event')}`)
    })
  } finally {
    process.off('exit', clear)
    clear()
  }
}

/** `[█████·····]  50 %` */
function bar(share: number): string {
  const full = Math.round(share * WIDTH)
  return `[${'█'.repeat(full)}${'·'.repeat(WIDTH - full)}] ${String(Math.floor(share * 100)).padStart(3)} %`
}
