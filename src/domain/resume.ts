import { defined } from './optional.ts'
import type { Policy } from './policy.ts'
import { formatUtc } from './progress.ts'
import { endTime, isFinal, type SessionRecord, type SessionStatus } from './record.ts'

/** What to do when the user returns to a session. */
export type ResumePlan =
  /** It is idle beyond the stale timeout or past its `expiresAt`: close it and ask for a new task. */
  | { plan: 'expired' }
  /** It is idle beyond the idle timeout: ask whether to continue. */
  | { plan: 'offer'; task?: string; startedAt: string }
  | { plan: 'ask_again'; question: string; askedAt: string }
  | { plan: 'present_summary'; summary: string }
  | { plan: 'repeat_interruption'; userMessage: string }
  | { plan: 'show_progress' }
  /** It has ended: ask for a new task. */
  | { plan: 'new_task' }

/** Chooses the plan for a session at the time `now`. Uses stored times only, so a restart changes nothing. */
export function resumePlan(record: SessionRecord, now: string, policy: Policy): ResumePlan {
  const { status, task, startedAt, lastActivityAt } = record
  if (isFinal(status.state)) return { plan: 'new_task' }
  const idle = Date.parse(now) - Date.parse(lastActivityAt)
  if (endTime(record, now) !== undefined || idle > policy.staleTimeoutMs) return { plan: 'expired' }
  if (idle > policy.idleTimeoutMs) return defined({ plan: 'offer' as const, startedAt, task })
  return planByState(status)
}

/** Chooses the plan by state, however long the session was idle: also after the user accepts an offer. */
export function planByState(status: SessionStatus): ResumePlan {
  switch (status.state) {
    case 'awaiting_user':
      return { plan: 'ask_again', question: status.question, askedAt: status.askedAt }
    case 'pending_complete':
      return { plan: 'present_summary', summary: status.summary }
    case 'interrupted':
      return { plan: 'repeat_interruption', userMessage: status.userMessage }
    case 'running':
      return { plan: 'show_progress' }
    case 'complete':
    case 'aborted':
      return { plan: 'new_task' }
  }
}

/** Text for the user; `progress` is shown if work was under way. */
export function resumeText(plan: ResumePlan, progress = ''): string {
  switch (plan.plan) {
    case 'expired':
      return `Your last session was inactive for too long, so I closed it and saved its work. ${NEW_TASK}`
    case 'offer':
      return paragraphs(
        plan.task === undefined
          ? `You have unfinished work from ${formatUtc(plan.startedAt)}.`
          : `You have unfinished work from ${formatUtc(plan.startedAt)}:`,
        plan.task,
        'Do you want to continue, or start something new?',
      )
    case 'ask_again':
      return paragraphs('Before we continue, I still need your answer:', plan.question)
    case 'present_summary':
      return paragraphs('I think the work is done:', plan.summary, 'Is that right, or is something missing?')
    case 'repeat_interruption':
      return paragraphs('You sent this while I was working, and I have not acted on it yet:', plan.userMessage)
    case 'show_progress':
      return paragraphs('I was still working on this. Progress so far:', progress, 'Shall I continue?')
    case 'new_task':
      return NEW_TASK
  }
}

const NEW_TASK = 'What would you like to do next?'

function paragraphs(...texts: (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join('\n\n')
}
