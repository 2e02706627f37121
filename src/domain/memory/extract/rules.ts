import { CURRENT_WORK, DAYS, DONT, NAME, ONE_THING, type Pattern, startsWith, startsWithCase } from './pattern.ts'
import { DEED } from './vocabulary.ts'

/** Proverbs and encouragement that only look like instructions. */
const SAYING = String.raw`(?!give up|say (?:never|die)|be (?:afraid|sorry|too|there|kind|happy|yourself|grateful|here)|stop (?:\w+ing|being)|do (?:that|this|it|things)|look|stay|keep (?:going|learning|it up|your chin|an open|the faith)|make me|work|try|start|ask (?:yourself|why)|read$)`
const ORDER = String.raw`${SAYING}(?:${DEED})(?![\w'])(?! (?:it|that|them|into|out of|(?:an? )?(?:great|good|lot|fun|time))\b)`
const STANDING =
  '(?:from (?:now|here) on(?: out)?|from this point on|going forwards?|moving forwards?|henceforth|in (?:the )?future|as of now|at all times)'
// a loop: two optional words before such a long list made it four lists, which took 220 ms more to compile
const ORDERED = String.raw`(?:(?:please|don't|do not|never|always|only) )*(?:${DEED})\b`
const MUST = '(?:must|should|have to|need to|may|shall|ought to|are to)'

/** Patterns for lasting instructions to an agent. One-time instructions do not count. */
export const RULES: readonly Pattern[] = [
  {
    matches: startsWith(
      `(?:we )?(?:always|never)(?: ever)? ${ORDER}`,
      `you ${MUST} (?:always|never|not ever) (?!have |be able)`,
      `you (?:must not|mustn't|may not|are not allowed to|aren't allowed to) (?!${ONE_THING}|have )`,
      String.raw`(?:I (?:want|need|expect|would like)|I'd like) you to (?:please )?(?:always|never)\b`,
      String.raw`(?:make sure|be sure|remember|try|see to it)(?: to| you| that you| it)* (?:always|never)\b`,
      String.raw`(?:if|when|whenever|before|after|every time|each time|any time|anytime)\b[^,]+, (?:please )?(?:always|never) ${ORDER}`,
      String.raw`(?:whenever|every time|each time|any time|anytime) (?:you|I (?:ask|say|write|send|mention|request))\b[^,]*, ${ORDERED}`,
      String.raw`${STANDING},? (?:${ORDERED}|you ${MUST}\b|no (?:more )?\w)`,
      `(?=.* ${STANDING}$)${ORDERED}`,
      String.raw`(?:keep|make|write|give) (?:all )?(?:of )?your (?:answers|replies|responses|messages|explanations|summaries|commit messages|comments)\b`,
      String.raw`(?:all |every |our |your )?(?:commits?|commit messages?|prs?|pull requests?|branches|branch names|migrations?|releases?|merge requests?) (?:must|should|need to|needs to|may) (?:always|never|not|be|have|start|end|follow|use|reference|contain)\b`,
      String.raw`we ${DONT} (?:use|write|commit|deploy|mock|merge|push|release|ship)\b(?! ${ONE_THING})`,
    ),
    unless: CURRENT_WORK,
  },
  {
    matches: startsWith(
      String.raw`${DONT} (?:ever )?(?:use|write|say|call me|mention|apologi[sz]e|invent|make up|speculate|abbreviate|sugarcoat|include|start|end)\b(?! ${ONE_THING}| worrying)`,
      String.raw`${DONT} ever (?:${DEED})\b`,
      String.raw`(?=.*\b(?:unless|without|any ?more|directly|to (?:main|master|prod|production|trunk)|on (?:an? )?(?:${DAYS})|whenever)\b)${DONT} (?:${DEED})\b(?! (?:it|that|them)\b)`,
      String.raw`avoid (?:\w+ing\b|[\w-]+s\b)`,
      String.raw`stop (?:using|adding|writing|saying|apologi[sz]ing|calling|asking|putting|starting|ending|repeating|including|suggesting|inventing|making up|being)\b(?! ${ONE_THING})`,
    ),
    unless: new RegExp(`${CURRENT_WORK.source}|^(?:don't|do not) (?:start|end|include|use|write|say)$`, 'iu'),
  },
  { matches: startsWithCase(`(?:[Jj]ust |[Yy]ou can |[Pp]lease )?[Cc]all me ${NAME}(?: ${NAME})?$`) },
]
