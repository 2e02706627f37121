import type { UpkeepOptions } from '../api.ts'
import { pluralize, truncate } from './text.ts'

type OnProgress = NonNullable<UpkeepOptions['onProgress']>

/** Says how far the work is: words, and the share that is done, where it is known. */
export type ShowProgress = (words: () => string, share?: number) => void

/** Milliseconds between two looks of the line. */
const REDRAW_MS = 100
const BAR_WIDTH = 20
/** Columns of a terminal that has room for a bar beside the words. */
const MIN_COLUMNS_FOR_BAR = 64

/** Runs upkeep with one line on stderr that says how far it is; without one where stderr is no terminal, or a dumb one. */
export async function withSessionProgress<T>(doing: string, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  return await withProgress((tell) =>
    work(({ sessions, events, of }) =>
      tell(
        () => `${doing} ${pluralize(sessions, 'session')}, ${pluralize(events, 'event')}`,
        of.events === 0 ? 1 : events / of.events,
      ),
    ),
  )
}

/** As {@link withSessionProgress}, for any long work. */
export async function withProgress<T>(work: (tell: ShowProgress) => Promise<T>): Promise<T> {
  const { stderr } = process
  if (!stderr.isTTY || process.env['TERM'] === 'dumb') return await work(() => {})

  let shown = performance.now()
  const clear = () => stderr.write('\r\x1b[K')
  process.once('exit', clear)
  try {
    return await work((words, share) => {
      if (performance.now() - shown < REDRAW_MS) return
      shown = performance.now()
      const columns = stderr.columns || 80
      const done =
        share === undefined ? '' : `${progressBar(Math.min(1, share), columns >= MIN_COLUMNS_FOR_BAR ? BAR_WIDTH : 0)} `
      // what reaches the end of the line would go on below it, where it is not cleared
      stderr.write(`\r\x1b[K${truncate(done + words(), columns - 1)}`)
    })
  } finally {
    process.off('exit', clear)
    clear()
  }
}

/** `[█████·····]  50 %`, or the number alone where there is no room. */
function progressBar(share: number, width: number): string {
  const full = Math.round(share * width)
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`
  return width === 0 ? percent : `[${'█'.repeat(full)}${'·'.repeat(width - full)}] ${percent}`
}
