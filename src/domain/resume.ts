import type { Policy } from './policy.ts'
import { endTime, isFinal, type SessionRecord, type SessionStatus } from './record.ts'
import { formatUtc } from './summary.ts'

/** What to do when the user comes back to a session. */
export type ResumePlan =
  /** It rested beyond the stale timeout, or its `expiresAt` has passed: close it and ask for a new task. */
  | { plan: 'expired' }
  /** It rested beyond the idle timeout: ask whether to go on. */
  | { plan: 'offer'; task?: string; startedAt: string }
  | { plan: 'ask_again'; question: string; askedAt: string }
  | { plan: 'present_summary'; summary: string }
  | { plan: 'repeat_interruption'; userMessage: string }
  | { plan: 'show_progress' }
  /** It has ended already: ask for a new task. */
  | { plan: 'new_task' }

/** What to do with a session at the time `now`. Only what is stored counts, so a restart changes nothing. */
export function resumePlan(record: SessionRecord, now: string, policy: Policy): ResumePlan {
  const { status, task, startedAt, lastActivityAt } = record
  if (isFinal(status.state)) return { plan: 'new_task' }
  const idle = Date.parse(now) - Date.parse(lastActivityAt)
  if (endTime(record, now) !== undefined || idle > policy.staleTimeoutMs) return { plan: 'expired' }
  if (idle > policy.idleTimeoutMs) return { plan: 'offer', startedAt, ...(task !== undefined && { task }) }
  return planByState(status)
}

/** How to go on where a session stands, however long it rested: also what follows when the user accepts an offer. */
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

/** What to say to the user for a plan; `progress` is shown where the work was under way. */
export function resumeText(plan: ResumePlan, progress = ''): string {
  switch (plan.plan) {
    case 'expired':
      return `The last session rested for too long and is closed; what it did is kept. ${NEW_TASK}`
    case 'offer':
      return paragraphs(
        plan.task === undefined
          ? `There is work that you began on ${formatUtc(plan.startedAt)} and that is not finished.`
          : `On ${formatUtc(plan.startedAt)} you began this, and it is not finished:`,
        plan.task,
        'Do you want to go on with it, or begin something new?',
      )
    case 'ask_again':
      return paragraphs('Before we go on, one answer is still missing:', plan.question)
    case 'present_summary':
      return paragraphs(
        'The work is done as far as I can tell:',
        plan.summary,
        'Is that right, or is something missing?',
      )
    case 'repeat_interruption':
      return paragraphs('You stopped me with this, and I have yet to take it up:', plan.userMessage)
    case 'show_progress':
      return paragraphs('I was in the middle of the work. This is where it stands:', progress, 'Shall I go on?')
    case 'new_task':
      return NEW_TASK
  }
}

const NEW_TASK = 'What would you like to do next?'

function paragraphs(...texts: (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join('\n\n')
}
