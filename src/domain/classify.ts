import { parseMessage } from './classify/clauses.ts'
import { isForeign, isGibberish } from './classify/language.ts'
import { GENERAL_QUESTION, type SpeechActKind } from './classify/patterns.ts'
import { isAbout, type SpeechAct, speechActsOf, topicOf } from './classify/speech-acts.ts'
import { ENGLISH, HESITATION } from './classify/words.ts'
import type { SessionState, SessionStatus } from './record.ts'

/** Every intent of a user message. */
export const MESSAGE_INTENTS = ['response', 'modification', 'confirmation', 'new_task', 'abandon', 'unclear'] as const

/** One of {@link MESSAGE_INTENTS}. */
export type MessageIntent = (typeof MESSAGE_INTENTS)[number]

/** A message and the session's status when it arrives. */
export interface ClassifyInput {
  message: string
  status: SessionStatus
  /** The session's task. Without it a request counts as another task only if it says so. */
  task?: string | undefined
}

/** An intent and the name of the rule that matched. */
export interface RuleMatch {
  intent: MessageIntent
  rule: string
}

/**
 * Classifies a user message by rules: offline and deterministic. Reads English; other languages are `unclear`. In doubt
 * it keeps the session: `modification` or `unclear` rather than an intent that ends it.
 */
export function classifyByRules(input: ClassifyInput): MessageIntent {
  return matchRules(input).intent
}

/** Like {@link classifyByRules}, with the matching rule. */
export function matchRules(input: ClassifyInput): RuleMatch {
  const seen = messageFeatures(input)
  const phase = PHASE[input.status.state]
  for (const { rule, when, means } of RULES) {
    const intent = means[phase]
    if (intent !== undefined && when(seen)) return { intent, rule }
  }
  return { intent: 'unclear', rule: 'nothing applies' }
}

/** Groups of states in which messages mean the same. */
type Phase = 'working' | 'asked' | 'proposed' | 'ended'

const PHASE: Readonly<Record<SessionState, Phase>> = {
  running: 'working',
  interrupted: 'working',
  awaiting_user: 'asked',
  pending_complete: 'proposed',
  complete: 'ended',
  aborted: 'ended',
}

interface Rule {
  rule: string
  when: (seen: MessageFeatures) => boolean
  /** The intent per phase; the rule does not apply in other phases. */
  means: Partial<Record<Phase, MessageIntent>>
}

const live = (intent: MessageIntent) => ({ working: intent, asked: intent, proposed: intent })
const always = (intent: MessageIntent) => ({ ...live(intent), ended: intent })
const approval = { working: 'confirmation', proposed: 'confirmation', ended: 'confirmation' } as const

/** The first matching rule decides, so intents that end a session come after the doubtful cases. */
const RULES: readonly Rule[] = [
  { rule: 'no words', when: (m) => m.acts.length === 0 && !m.hasCode, means: always('unclear') },
  { rule: 'another language', when: (m) => m.isForeign, means: always('unclear') },
  { rule: 'random typing', when: (m) => m.isGibberish, means: always('unclear') },
  { rule: 'only hesitates', when: (m) => m.hesitates, means: always('unclear') },
  { rule: 'only greets', when: (m) => m.only('fill'), means: always('unclear') },
  { rule: 'picks what the question offers', when: (m) => m.stopIsOffered, means: { asked: 'response' } },
  { rule: 'announces another task', when: (m) => m.turns, means: always('new_task') },
  { rule: 'drops this for another task', when: (m) => m.drops, means: always('new_task') },
  { rule: 'calls it off', when: (m) => m.has('stop') && !m.goesOn, means: live('abandon') },
  { rule: 'next task once this is done', when: (m) => m.wantsNext, means: { proposed: 'new_task' } },
  { rule: 'wants something else in between', when: (m) => m.wantsElse, means: { working: 'unclear' } },
  { rule: 'picks where nothing was offered', when: (m) => m.picks, means: { working: 'unclear', proposed: 'unclear' } },
  { rule: 'thanks without an answer', when: (m) => m.onlyThanks, means: { asked: 'confirmation' } },
  { rule: 'answers', when: (m) => m.answers, means: { asked: 'response' } },
  { rule: 'adds or changes without an answer', when: (m) => m.changes, means: { asked: 'modification' } },
  { rule: 'speaks to the question', when: (m) => m.sensible, means: { asked: 'response' } },
  { rule: 'is pleased so far', when: (m) => m.pleased && m.soFar, means: { proposed: 'unclear' } },
  { rule: 'is pleased', when: (m) => m.pleased, means: approval },
  { rule: 'closes', when: (m) => m.closes, means: { proposed: 'confirmation', ended: 'confirmation' } },
  { rule: 'wants something after the end', when: (m) => m.wants, means: { ended: 'new_task' } },
  { rule: 'steers the work', when: (m) => m.readable, means: { working: 'modification', proposed: 'modification' } },
]

type MessageFeatures = ReturnType<typeof messageFeatures>

/** Computes everything that the rules use. */
function messageFeatures({ message, status, task }: ClassifyInput) {
  const { clauses, tokens, hasCode } = parseMessage(message)
  const question = status.state === 'awaiting_user' ? status.question : ''
  const summary = status.state === 'pending_complete' ? status.summary : ''
  const topic = topicOf(task ?? '', question, summary)
  const offers = topicOf(question)
  const acts = clauses.flatMap((clause) => speechActsOf(clause, topic))
  const words = acts.flatMap((act) => act.words)

  const has = (...kinds: SpeechActKind[]) => acts.some((act) => kinds.includes(act.kind))
  const only = (...kinds: SpeechActKind[]) => acts.length > 0 && acts.every((act) => kinds.includes(act.kind))
  const wanted = acts.filter((act) => act.kind === 'request' || act.kind === 'ask')
  const contrast = acts.some((act) => act.contrast)
  const addition = acts.some((act) => act.addition)
  const wantsOther = task !== undefined && !addition && wanted.length > 0 && wanted.every(isOther)
  const pleased = has('thank', 'approve', 'assent') && only('thank', 'approve', 'assent', 'fill', 'own') && !contrast
  const praised = has('approve', 'thank')
  const answers = acts.some(
    (act, i) =>
      (i < 2 && (act.kind === 'assent' || act.kind === 'refuse' || act.kind === 'choose')) ||
      (!act.addition && isAbout(act.words, offers)),
  )

  return {
    acts,
    has,
    only,
    hasCode,
    isForeign: !hasCode && isForeign(tokens),
    isGibberish: !hasCode && words.length > 0 && words.every(isGibberish),
    hesitates: only('hesitate', 'fill', 'assent') && (has('hesitate') || words.some((word) => HESITATION.has(word))),
    /** Says stop with a word of the question, like "cancel" to "retry or cancel?". */
    stopIsOffered: acts.some((act) => act.kind === 'stop' && isAbout(act.words, offers)),
    /** Announces another task and names it. */
    turns: acts.some(
      (act, i) => act.kind === 'turn' && (act.content > 2 || acts.slice(i + 1).some((later) => later.content > 0)),
    ),
    drops: has('stop', 'waive')
      ? wantsOther && wanted.some((act) => act.creating || act.kind === 'ask')
      : has('shelve') && !addition && wanted.some((act) => !act.onTopic),
    /** Says stop but also how to continue. */
    goesOn: contrast || wanted.length > 0 || acts.some((act) => act.kind === 'state' && act.correction),
    wantsNext: wantsOther && !contrast && wanted.some((act) => act.sequence || act.creating || isGeneral(act)),
    wantsElse: wantsOther && wanted.some((act) => act.creating && act.content > 2),
    picks: has('choose') && only('choose', 'fill', 'thank'),
    answers,
    onlyThanks: pleased && has('thank') && !answers,
    changes: addition || has('waive') || acts.some((act) => act.changing),
    /** Contains a word that could be an answer. */
    sensible: hasCode || words.some((word) => !isGibberish(word)),
    pleased,
    soFar: /\b(?:so far|start)\b/u.test(words.join(' ')),
    closes: has('close') && !contrast && acts.every((act) => CLOSING.has(act.kind) || (praised && isPlain(act))),
    wants: wanted.length > 0,
    /** Contains an English word, a number, or code. */
    readable: hasCode || has('refuse') || words.some((word) => ENGLISH.has(word) || /\d/u.test(word)),
  }
}

/** Kinds that may accompany "ship it". */
const CLOSING: ReadonlySet<SpeechActKind> = new Set(['close', 'thank', 'approve', 'assent', 'fill', 'own', 'waive'])

/** States something without denial or correction. */
function isPlain(act: SpeechAct): boolean {
  return act.kind === 'state' && !act.correction && !act.negative
}

/** Requests something unrelated to the task. */
function isOther(act: SpeechAct): boolean {
  return !act.related && act.content > 1
}

function isGeneral(act: SpeechAct): boolean {
  return act.kind === 'ask' && GENERAL_QUESTION.test(act.text)
}
