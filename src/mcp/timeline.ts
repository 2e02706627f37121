import type { Session } from '../api.ts'
import { clip, newestThatFit } from './clip.ts'
import { DATA, fenced } from './quote.ts'
import { eventText, omittedText, type ShownSession, sessionText, shownEvent, shownSession } from './views.ts'

/** Events of a timeline. */
const LAST = 100

/** A session for people and models to read: what it is, what was done, and its last events, whatever their type. */
export async function timelineOf(session: Session): Promise<string> {
  const record = shownSession(await session.record())
  const progress = await session.progress()
  const events = await session.events({ order: 'desc', limit: LAST })
  const { kept } = newestThatFit(events.toReversed(), shownEvent)
  const earlier = (kept[0]?.sequence ?? 1) - 1
  return [
    `# Session ${record.id}`,
    '',
    DATA,
    '',
    ...facts(record),
    '',
    '## Progress',
    '',
    fenced(clip(progress, 8000)),
    '',
    '## Timeline',
    '',
    ...omittedText(earlier, 'earlier events'),
    fenced(kept.map(eventText).join('\n')),
    '',
  ].join('\n')
}

function facts(session: ShownSession): string[] {
  const { task, chatmode, startedAt, endedAt, workflow, gitBranch } = session
  const rows = { chatmode, workflow, 'git branch': gitBranch, started: startedAt, ended: endedAt, task }
  const told = Object.entries(rows).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return [fenced([sessionText(session), ...told].join('\n'))]
}
