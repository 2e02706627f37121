import type { Session } from '../api.ts'
import { DATA_NOTICE, fence } from './quote.ts'
import { fitLast, truncate } from './response-limits.ts'
import { eventText, eventView, omittedText, type SessionView, sessionText, sessionView } from './views.ts'

const MAX_EVENTS = 100
/** Characters of the progress text. */
const MAX_PROGRESS = 8000

/** Renders a session as Markdown: its facts, its progress and its last events of any type. */
export async function renderTimeline(session: Session): Promise<string> {
  const view = sessionView(await session.record())
  const progress = await session.progress()
  const events = await session.events({ order: 'desc', limit: MAX_EVENTS })
  const { kept } = fitLast(events.toReversed(), eventView)
  const earlier = (kept[0]?.sequence ?? 1) - 1
  return [
    `# Session ${view.id}`,
    '',
    DATA_NOTICE,
    '',
    fence(factLines(view).join('\n')),
    '',
    '## Progress',
    '',
    fence(truncate(progress, MAX_PROGRESS)),
    '',
    '## Timeline',
    '',
    ...omittedText(earlier, 'earlier events'),
    fence(kept.map(eventText).join('\n')),
    '',
  ].join('\n')
}

function factLines(session: SessionView): string[] {
  const { task, chatmode, startedAt, endedAt, workflow, gitBranch } = session
  const facts = { chatmode, workflow, 'git branch': gitBranch, started: startedAt, ended: endedAt, task }
  const lines = Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return [sessionText(session), ...lines]
}
