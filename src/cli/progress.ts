import type { UpkeepOptions } from '../api.ts'
import { counted } from './text.ts'

type OnProgress = NonNullable<UpkeepOptions['onProgress']>

/** Says how far the work is: words, and the share that is done, where it is known. */
export type Tell = (words: () => string, share?: number) => void

/** Milliseconds between two looks of the line. */
const PAUSE = 100
const WIDTH = 20

/** Runs upkeep with one line on stderr that says how far it is; without a line where stderr is no terminal. */
export async function withProgress<T>(doing: string, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  return await withLine((tell) =>
    work(({ sessions, events, of }) =>
      tell(
        () => `${doing} ${counted(sessions, 'session')}, ${counted(events, 'event')}`,
        of.events === 0 ? 1 : events / of.events,
      ),
    ),
  )
}

/** As {@link withProgress}, for any long work. */
export async function withLine<T>(work: (tell: Tell) => Promise<T>): Promise<T> {
  const { stderr } = process
  if (!stderr.isTTY) return await work(() => {})

  let shown = performance.now()
  const clear = () => stderr.write('\r\x1b[K')
  process.once('exit', clear)
  try {
    return await work((words, share) => {
      if (performance.now() - shown < PAUSE) return
      shown = performance.now()
      stderr.write(`\r\x1b[K${share === undefined ? '' : `${bar(Math.min(1, share))} `}${words()}`)
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
