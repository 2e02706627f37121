import type { UpkeepOptions } from '../api.ts'
import { pluralize, truncate } from './text.ts'

type OnProgress = NonNullable<UpkeepOptions['onProgress']>

/** Updates the progress line: a text, and the fraction done if it is known. */
export type ShowProgress = (text: () => string, fraction?: number) => void

const REDRAW_MS = 100
const BAR_WIDTH = 20
const MIN_COLUMNS_FOR_BAR = 64

/** Counts sessions and events on the progress line, after those of an earlier run. */
export function sessionProgress(show: ShowProgress, activity: string, before = { sessions: 0, events: 0 }): OnProgress {
  return (progress) => {
    const sessions = progress.sessions + before.sessions
    const events = progress.events + before.events
    const { of } = progress
    show(() => `${activity} ${countSessions({ sessions, events })}`, of.events === 0 ? 1 : events / of.events)
  }
}

/** `2 sessions, 31 events`. */
export function countSessions({ sessions, events }: { sessions: number; events: number }): string {
  return `${pluralize(sessions, 'session')}, ${pluralize(events, 'event')}`
}

/** Runs long work with a progress line on stderr; without one if stderr is not a terminal, or a dumb one. */
export async function withProgress<T>(work: (show: ShowProgress) => Promise<T>): Promise<T> {
  const { stderr } = process
  if (!stderr.isTTY || process.env['TERM'] === 'dumb') return await work(() => {})

  let shown = performance.now()
  let isDrawn = false
  const clear = () => isDrawn && stderr.write('\r\x1b[K')
  process.once('exit', clear)
  try {
    return await work((text, fraction) => {
      if (performance.now() - shown < REDRAW_MS) return
      shown = performance.now()
      isDrawn = true
      const columns = stderr.columns || 80
      const done =
        fraction === undefined
          ? ''
          : `${progressBar(Math.min(1, fraction), columns >= MIN_COLUMNS_FOR_BAR ? BAR_WIDTH : 0)} `
      // a full line would wrap, and the wrapped part would not be cleared
      stderr.write(`\r\x1b[K${truncate(done + text(), columns - 1)}`)
    })
  } finally {
    process.off('exit', clear)
    clear()
  }
}

/** `[█████·····]  50 %`, or only the number if `width` is 0. */
function progressBar(fraction: number, width: number): string {
  const full = Math.round(fraction * width)
  const percent = `${String(Math.floor(fraction * 100)).padStart(3)} %`
  return width === 0 ? percent : `[${'█'.repeat(full)}${'·'.repeat(width - full)}] ${percent}`
}
