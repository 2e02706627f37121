import type { Session } from '../api.ts'
import { DATA_NOTICE, fence } from './quote.ts'
import { fitLast, truncate } from './response-limits.ts'
import { eventText, eventView, omittedText, type SessionView, sessionText, sessionView } from './views.ts'

/** Events of a timeline. */
const MAX_EVENTS = 100

/** A session for people and models to read: what it is, what was done, and its last events, whatever their type. */
export async function renderTimeline(session: Session): Promise<string> {
  const record = sessionView(await session.record())
  const progress = await session.progress()
  const events = await session.events({ order: 'desc', limit: MAX_EVENTS })
  const { kept } = fitLast(events.toReversed(), eventView)
  const earlier = (kept[0]?.sequence ?? 1) - 1
  return [
    `# Session ${record.id}`,
    '',
    DATA_NOTICE,
    '',
    ...facts(record),
    '',
    '## Progress',
    '',
    fence(truncate(progress, 8000)),
    '',
    '## Timeline',
    '',
    ...omittedText(earlier, 'earlier events'),
    fence(kept.map(eventText).join('\n')),
    '',
  ].join('\n')
}

function facts(session: SessionView): string[] {
  const { task, chatmode, startedAt, endedAt, workflow, gitBranch } = session
  const rows = { chatmode, workflow, 'git branch': gitBranch, started: startedAt, ended: endedAt, task }
  const told = Object.entries(rows).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return [fence([sessionText(session), ...told].join('\n'))]
}
