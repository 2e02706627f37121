/**
 * Kinds of speech acts.
 *
 * - `assent`, `refuse`, `choose`: yes, no, one of the options
 * - `thank`, `approve`, `close`: thanks, praise, "ship it"
 * - `stop`: ends the whole task; `shelve`: puts it aside; `waive`: gives up a part of it
 * - `turn`: announces another task; `request`, `ask`: wants something done or known
 * - `hesitate`, `fill`: hesitates, greets; `own`: the user's own action; `state`: anything else
 */
export type SpeechActKind =
  | 'assent'
  | 'refuse'
  | 'choose'
  | 'thank'
  | 'approve'
  | 'close'
  | 'stop'
  | 'shelve'
  | 'waive'
  | 'turn'
  | 'request'
  | 'ask'
  | 'hesitate'
  | 'fill'
  | 'own'
  | 'state'

/** The whole task, not a part of it. */
const WHOLE = `(?:${[
  'it all|it|this|that|everything',
  'all of (?:it|this|that)|all (?:this|that)|all',
  '(?:this|that|the|our|your|my) (?:whole |entire |current )?(?:thing|task|project|job|work|request|session|effort)',
].join('|')})`

/** Words that may follow without changing the meaning. */
const TAIL = `(?: (?:${[
  'please|thanks|honestly|now|then|here|there|again|already|anyway|immediately|right away|at once',
  'completely|entirely|altogether|for good|for now|at all|after all|either|anymore|any more|any longer',
].join('|')}))*`

const whole = (...forms: string[]) => new RegExp(`^(?:${forms.join('|')})$`, 'u')

const MOMENT = '(?: (?:sec|second|bit|minute|moment))?'

/** Patterns of a whole clause without its polite opening. The first match decides. */
export const PATTERNS: readonly (readonly [SpeechActKind, RegExp])[] = [
  [
    'hesitate',
    whole(
      `(?:hold|hang) on(?: a)?${MOMENT}`,
      `wait(?: a)?${MOMENT}`,
      '(?:one|just a|a) (?:sec|second|moment|minute)',
      'what|pardon|sorry',
    ),
  ],
  [
    'thank',
    whole('(?:many )?(?:thanks|thank you|thx|ty)(?: (?:a lot|so much|very much|again|a bunch|a million))?(?: for .+)?'),
  ],
  [
    'approve',
    whole(
      'no (?:further |more |other )?(?:complaints|problems|issues|objections|changes|notes|remarks|comments|questions)' +
        '(?: from me| here| needed)?',
      'nothing (?:else|more|to add|to change|further)(?: needed| to do| required)?',
      '(?:thats|that is|that was|that will be) (?:all|it|everything)(?: (?:i|we) (?:need|needed|wanted))?' +
        '(?: for (?:today|now))?',
      '(?:we|youre|its|all) (?:are )?(?:all )?(?:set|good)(?: to go)?|good to go',
      'i (?:really )?(?:like|love) (?:it|this|that)(?: a lot)?',
      'that(?:ll| will) do|that explains (?:it|a lot)|(?:that )?makes sense|well done|good enough|keep it up',
      '(?:wow )?that was (?:fast|quick)',
    ),
  ],
  [
    'close',
    whole(
      '(?:ship|merge|close|finalize|finalise|submit|deliver|publish|release|approve|book|send|accept)' +
        '(?: (?:it|this|that|the (?:ticket|issue|task|pr|session)))?(?: as (?:planned|is|discussed))?',
      'wrap (?:it |this |things )?up|finish(?: it| this)? up',
      '(?:call it|mark it(?: as)?|consider it) (?:done|complete|a day)',
    ),
  ],
  [
    'stop',
    whole(
      `(?:stop|cancel|abort|quit|halt|abandon|terminate)(?: ${WHOLE})?${TAIL}`,
      `stop (?:doing|working)(?: on)?(?: ${WHOLE})?${TAIL}|stop what you(?:re| are) doing`,
      `(?:never ?mind|nevermind)(?: about)?(?: ${WHOLE})?${TAIL}`,
      `(?:forget|drop|scrap|scratch|discard|bin|trash|ditch|skip|kill|dump)(?: about)? ${WHOLE}${TAIL}`,
      `(?:throw|chuck|toss) ${WHOLE} (?:out|away)${TAIL}`,
      `(?:dont|do not) bother(?: with ${WHOLE})?${TAIL}`,
      `give up(?: on ${WHOLE})?${TAIL}|not(?: do ${WHOLE})?${TAIL}|enough(?: of this| of that| already)?`,
      `(?:i|we) (?:really )?(?:dont|do not|no longer|wont|will not) (?:need|want|require)(?: ${WHOLE})?${TAIL}`,
      `(?:(?:its|it is|thats|this is|that is) )?(?:not|no longer) (?:needed|necessary|required|wanted|relevant)${TAIL}`,
      `no (?:more )?need(?: for ${WHOLE})?${TAIL}`,
      '(?:it |this |that )?(?:doesnt|does not) matter (?:anymore|any more|any longer|now)',
      '(?:ive|i|weve|we) (?:have )?(?:changed (?:my|our) minds?|decided against (?:it|this|that))',
    ),
  ],
  [
    'shelve',
    whole(
      `(?:put|set|leave) ${WHOLE} (?:aside|on hold|for later|for now|for another day|on ice)`,
      `(?:park|pause|shelve|hold|ignore|leave|postpone) ${WHOLE}${TAIL}`,
    ),
  ],
  [
    'turn',
    whole(
      '(?:a |one )?(?:(?:totally|completely|entirely|very) )?(?:new|different|separate|unrelated) ' +
        '(?:task|topic|subject|request|question|job|project|matter|thing|story)(?: entirely| altogether| now| for you)?',
      '(?:totally |completely )?unrelated(?: to (?:this|that))?',
      '(?:do )?something (?:else|different|new)(?: (?:entirely|completely|now|altogether))?|another thing(?: entirely)?',
      '(?:switch|change)(?: of)?(?: the)? (?:topics?|subject|gears)|on (?:another|a different) note',
      '(?:i have )?(?:something )?(?:even )?more (?:urgent|important|pressing)',
      '(?:on to |onto )?(?:the )?next (?:task|topic|thing|item|job|up|one)|next(?: up| please)?|moving on|move on',
    ),
  ],
  ['waive', whole('(?:never ?mind|nevermind|forget(?: about)?|dont worry about|do not worry about) .+')],
  [
    'assent',
    whole(
      '(?:go ahead|do|do it|do that|go for it|of course|sure thing|why not|got it|sounds good)',
      'works for me|fine (?:by|with) me',
    ),
  ],
  [
    'choose',
    whole(
      '(?:the )?(?:option|variant|choice|number|plan|answer)? ?(?:[a-h]|[ivx]{1,3}|\\d{1,3}|one|two|three|four|five)',
      '(?:the )?(?:first|second|third|fourth|last|former|latter|middle)(?: (?:one|option|variant|choice))?',
      'both|neither|either|none|all of them',
    ),
  ],
]

const anyOf = (...forms: string[]) => forms.join('|')

/** "cancel the offsite" ends the task if its object is the task's topic. "stop the worker" does not. */
export const NAMED_STOP = new RegExp(
  `^(?:${anyOf(
    'forget(?: about)?|cancel|drop|scrap|abandon|discard|ditch|kill|give up on|stop (?:working on|with)',
    '(?:i|we) (?:dont|no longer) (?:want|need)',
  )}) (.+)$`,
  'u',
)

export const NAMED_SHELVE =
  /^(?:leave|park|pause|postpone|shelve|put) (.+?)(?: (?:thing|stuff|for now|for later|for another day|aside|on hold))*$/u

/** Announces another task and names it. */
export const TURN_WITHIN = new RegExp(
  anyOf(
    '^(?:mov(?:e|ing) on to|(?:switch|go|get) (?:over )?to (?:a )?(?:new|different|another) |on to )',
    '\\b(?:unrelated|(?:new|different) (?:task|topic|subject|request|question))\\b',
  ),
  'u',
)

const POLITE_WORDS = 'please|just|so|and|or|then|lets|let us|hey|can you|could you|would you|will you|can we|could we'

/** An opening that does not change what follows. */
export const POLITE = new RegExp(
  `^(?:${anyOf(
    POLITE_WORDS,
    'well|ok|okay|actually|honestly|sorry|oh|hm|hmm|maybe|you know what|i think',
    'you can|we can|you may|id like to|i would like to|i want to',
  )}) (?=.)`,
  'u',
)

/** An opening after which a verb is a request. */
export const REQUESTING = new RegExp(
  `^(?:${anyOf(
    POLITE_WORDS,
    'now|next|also|first|instead|always|only|shall we|can i|go and|try to',
    '(?:i need|i want|id like|i would like)(?: you to)?|(?:we|you) (?:should|can|may|must|need to)',
    'help me(?: to)?(?= (?:write|debug|plan|find|fix|draft|set|make|with))',
  )}) (?=.)`,
  'u',
)

export const QUESTION = new RegExp(
  anyOf(
    '^(?:what|whats|which|who|whos|how|hows|why|when|where|wheres|whose)\\b',
    '^(?:is|are|was|were|do|does|did|can|could|should|shouldnt|would|will|has|have|isnt|arent|doesnt|didnt) ' +
      '(?:it|this|that|these|the|you|we|i|there|they|your|my|our|a|an)\\b',
  ),
  'u',
)

/** Asks about the world, not about the work. */
export const GENERAL_QUESTION = /^(?:what|whats|who|whos|how do i|how would i)\b.* an? /u

export const ADDITION = new RegExp(
  `\\b(?:${anyOf(
    'also|too|as well|additionally|furthermore|besides|plus|by the way|btw|one more (?:thing|request|point)|first',
    'while (?:youre|you are) at it|before that|in addition|on top of that',
  )})\\b`,
  'u',
)

/** Corrects the work: says that something is wrong, or addresses the agent. */
export const CORRECTION = new RegExp(
  `\\b(?:${anyOf(
    'actually|instead|rather|should|must|has to|have to|had to|needs to|wrong|incorrect|meant|mistake',
    'you|youre|your|not quite|not the',
  )})\\b`,
  'u',
)

/** "we decided to buy one instead" gives a reason and corrects nothing. */
export const OWN_CHOICE = /^(?:we|were|weve|i|im|ive|they|theyre|he|she) (?:(?!you).)*$/u

/** Requests a change, even while a question is open. */
export const CHANGING =
  /\b(?:instead of|actually (?:use|make|do|change|we)|(?:should|must|has to|have to|needs to) be)\b/u

/** The user's own action, which requests nothing. */
export const OWN = new RegExp(
  anyOf(
    '^(?:ill|i will|i am going to|im going to|we will|let me) ',
    '^(?:i|we|ive|weve) (?:have )?(?:just )?(?:tested|tried|checked|reviewed|verified) (?:it|this|that)\\b',
  ),
  'u',
)

/** "the docs are fine too": the captured word is praise, or empty as in "the restore works". */
export const POSITIVE = new RegExp(
  '^(?:(?:the|my|your|this|that|our|both|all) )?(?:[\\p{L}-]+ ){1,3}?' +
    '(?:is|are|was|looks|look|seems|works|work|feels|pass|passes) ?(?:(?:all|really|very|also|so|just) )?' +
    '(\\p{L}*)(?: too| now| here| as well| well| on my (?:side|end|machine))*$',
  'u',
)

export const OPENING_NO = new RegExp(
  '^(?:no|nope|nah) (?=(?:i|the|it|its|that|thats|this|we|you|dont|not|just|please|only|lets|' +
    'use|stop|keep|leave|make|default|take|put)\\b)',
  'u',
)

export const OPENING_YES = /^(?:yes|yep|yeah|yup|ok|okay|sure|alright|right) (?=.)/u
