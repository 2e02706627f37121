import {
  AM,
  CURRENT_WORK,
  DAYS,
  DONT,
  FOR_YEARS,
  HAVE_BEEN,
  KNOWN,
  NAME,
  NUMBER,
  type Pattern,
  startsWith,
  startsWithCase,
  WORDS,
} from './pattern.ts'
import { ASSET, KIN, LANGUAGE, POSSESSION, ROLE } from './vocabulary.ts'

/** Patterns for lasting facts about users and people around them. */
export const FACTS: readonly Pattern[] = [
  {
    matches: startsWith(
      String.raw`my (?:(?:full|first|last|middle|real|user|family|maiden|nick|preferred|legal) ?)?name(?: is|'s) (?!in\b|on\b|at\b|not\b|the\b|too\b|wrong|missing|misspell|\w+ing\b)\S`,
      String.raw`my (?:e-?mail(?: address)?|phone(?: number)?|(?:home |work |postal )?address|birthday|date of birth|birth ?place|time ?zone|github|twitter|handle|username|native language|mother tongue|first language|pronouns|job title|profession|hometown|home town|nationality|citizenship|blood type|employer|shoe size|height|star sign|licen[cs]e plate|operating system|wedding|wedding anniversary|anniversary|due date|postcode|zip code|hobby|hobbies|religion) (?:is|are) (?!in |not |missing|wrong|too |gone)\S`,
      String.raw`my (?:\w+ )?(?:${KIN})(?:'s? (?:\w+ ){0,2}\w+)? (?:is|are|was|were) (?:called|named|an? (?:${WORDS})(?:${ROLE})\b|allergic|(?:${NUMBER})(?: years?| months?|$|,| and)|born|on (?:the )?\d|on (?:${DAYS})|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|from|deaf|blind|vegan|vegetarian|diabetic|married|retired|lactose|coeliac|celiac)`,
      String.raw`my (?:\w+ )?(?:${KIN})'s (?:birthday|name|wedding|anniversary|e-?mail|phone number|address)\b.* (?:is|are) `,
      String.raw`my (?:\w+ )?(?:${KIN}) (?:lives?|works? (?:at|for|as|in)|was born|studies|goes to|loves|hates|prefers) (?!it\b|this\b|that\b|when\b|out\b)\S`,
    ),
    unless:
      /\b(?:is|are|was) (?:not|wrong|missing|null|undefined|empty|misspelled|broken|bouncing|bounced|invalid|full|down|in use|taken|too)\b/iu,
  },
  {
    matches: startsWith(
      String.raw`I work (?:at|for|as an?|in|from home|remotely|nights?|weekends?|shifts|part[- ]?time|full[- ]?time|freelance|with|from) ?(?!it\b|you\b|me\b)`,
      "I (?:no longer|don't|do not) (?:work|live) (?:at|for|in|with|as) .*",
      String.raw`I (?:currently )?live (?:in|near|at|with|alone|on|outside|abroad|together|next to|close to|above|between)\b(?! (?:fear|hope|the moment|it)\b)`,
      String.raw`I(?:'ve| have) (?:lived|worked) (?:in|at|for|near|as)\b${FOR_YEARS}`,
      String.raw`${HAVE_BEEN} (?:living|working (?:at|for|as)|vegan|vegetarian|married|sober|divorced|retired|diabetic)\b${FOR_YEARS}`,
      String.raw`I (?:was born (?:in|on|and raised|at|\d|deaf|blind)|was raised|grew up (?:in|on|with|near|speaking|as)|come from|graduated (?:from|in|with|at)|majored in|retired (?:in|from|last|at|early)|served in|studied (?!hard|it|the|how|for|this|your|that)\S+)\b`,
      'I (?:just |recently )?got (?:married|divorced|engaged|promoted|laid off|an? (?:new )?(?:job (?:at|as)|dog|cat|puppy|kitten|promotion))',
      String.raw`I (?:just |recently )?(?:started|took) (?:a new job (?:at|as|with)|working (?:at|for|as))|I (?:just |recently )?(?:bought|adopted) an? (?:new )?(?:${POSSESSION})\b`,
      String.raw`I(?:'ve| have|'ve got| have got) (?:(?:${NUMBER}|\d+|no|some|severe|mild|chronic|bad|type|terrible) (?:${WORDS}))?(?:${POSSESSION})(?=$|[,;]| (?:and|in|from|named|called|who|with|so|but|at|living|to|at home)\b)`,
      String.raw`I(?:'ve| have) (?:\w+(?:'s)? )?disease(?=$|,| and| so)`,
      String.raw`I (?:don't|do not|can't|cannot|never) (?:eat|drink|smoke|drive|own)\b(?! (?:it|this|that)\b)`,
      String.raw`I (?:${DONT} have|have no) (?:${WORDS})(?:${POSSESSION})\b`,
      String.raw`I (?:usually|normally|typically|always|mostly|often) (?:get up|wake up|go to bed|start work|finish work|work|commute|cycle|walk|cook|shop|swim|train|exercise|sleep|travel)\b`,
      String.raw`I wear (?:glasses|contacts|contact lenses|hearing aids?|size)\b|I (?:drive|own|ride) an? \S`,
      String.raw`I (?:play|teach|study) (?:the )?(?:guitar|piano|violin|viola|drums|bass|cello|flute|clarinet|sax|saxophone|trumpet|harp|organ|chess|tennis|football|soccer|basketball|volleyball|hockey|rugby|cricket|golf|badminton|maths?|mathematics|physics|chemistry|biology|medicine|law|history|economics|engineering|philosophy|music|art|literature|psychology|computer science|${LANGUAGE})\b`,
      `I use (?:an? )?${KNOWN}`,
    ),
    unless: new RegExp(
      String.raw`${CURRENT_WORK.source.replace('|at the moment|currently', '')}|\b(?:born|raised) (?:yesterday|ready)\b|^I work (?:in|with|at|for|from) (?:the )?(?:file|branch|code|it|vain|progress|parallel)\b`,
      'iu',
    ),
  },
  {
    matches: startsWith(
      String.raw`${AM} an? (?:${WORDS})(?:${ROLE})(?![\w-])`,
      String.raw`${AM} the (?:${WORDS})(?:${ROLE}|lead|head) (?:of|at|for|here)\b`,
      String.raw`${AM} (?:originally )?(?:from|based in|located in|living in|born in) (?!now\b|here\b|time to\b|scratch\b)\S`,
      String.raw`${AM} (?:happily |recently |newly )?(?:married|divorced|widowed|retired|pregnant|unemployed|self-employed|freelance|engaged to)\b`,
      String.raw`${AM} (?:severely |mildly |very |highly )?(?:allergic to|intolerant (?:to|of)|(?:lactose|gluten)[- ]intolerant|diabetic|coeliac|celiac|asthmatic|epileptic|dyslexic|autistic|colou?r-?blind|left-handed|right-handed|deaf|hard of hearing|blind|short-sighted|near-?sighted|bilingual|vegan|vegetarian|pescatarian|teetotal|jewish|muslim|christian|hindu|buddhist|catholic|atheist)\b(?! (?:spot|eye))`,
      String.raw`${AM} \d{1,3}(?: years old|$|,| and\b)`,
      String.raw`${AM} (?:studying (?!it\b|how\b|the\b)\S|majoring in|training (?:as|to be|for)|raising|expecting an?|in charge of|responsible for)\b`,
    ),
    unless: new RegExp(
      String.raw`${CURRENT_WORK.source.replace('|at the moment|currently', '')}|\b(?:blind|deaf) to\b`,
      'iu',
    ),
  },
  {
    matches: startsWith(
      String.raw`we(?:'re| are) (?:an? (?:${WORDS})(?:team|company|startup|start-up|family|agency|group|charity|shop|couple|band|non-?profit)\b|based in|located in|${NUMBER} (?:people|engineers|developers))`,
      `we(?:'re| are)? (?:use|using|run|run on|running on|host on|deploy to|deploy on|deploy with|build with|built on|write) (?:everything (?:on|in|with) )?${KNOWN}`,
      String.raw`we (?:deploy|release|ship|meet|plan|invoice|bill|pay|demo|publish|train|play)\b[\w ]{0,30}\b(?:on (?:the (?:first|last|second|third)|${DAYS})|every|each|weekly|daily|monthly|quarterly|twice|once)\b`,
      String.raw`we have (?:${NUMBER}|\d+) (?:${WORDS})(?:offices|employees|customers|teams|developers|engineers|shops|kids|children|dogs|cats|clients|users|warehouses|environments|repositories|repos)\b`,
      String.raw`our (?:${WORDS})(?:${ASSET}) (?:(?:is|are) (?:called|named|hosted|written|built|based|deployed|in \w+$|on (?:${DAYS})|at \d|at \S+\.\w+|an? (?:${WORDS})(?:team|company|startup|monorepo|monolith|api|app|shop|website|platform)\b|${KNOWN}|\d|every|weekly|two weeks)|runs? (?:on|in)|lives? (?:in|on|at)|uses? ${KNOWN}|starts? (?:at|on)|follows?)`,
    ),
    unless: /\b(?:this|these|those|here|wrong|failing|broken|into an?|red|down)\b/iu,
  },
  {
    matches: startsWithCase(
      `(?:I'm|I am|i'm|i am) ${NAME}(?: ${NAME})?(?=$|,| and | from | at )`,
      `(?:[Mm]y|[Oo]ur) (?:new )?(?:boss|manager|team lead|doctor|dentist|therapist|landlord|co-?founder|company|team|employer|product|app|database|db|backend|frontend|cloud provider|CI|stack|main customer|biggest customer|bank) (?:is|are) ${NAME}`,
      `(?:I'm|I am|i'm|i am) moving (?:back )?to (?:the )?${NAME}`,
      `[Ii] (?:just |recently )?(?:moved|relocated|emigrated) (?:back )?(?:to|from|out of) (?:the )?${NAME}`,
      String.raw`[Ii] (?:just |recently )?(?:moved|relocated) (?:in )?(?:to|into|with) (?:a|an|my) (?:new |bigger |smaller )?(?:flat|house|apartment|city|village|town|place|country|parents|girlfriend|boyfriend|partner|farm)\b`,
      `[Ii] (?:just |recently )?(?:joined|left|founded|started at) ${NAME}`,
      `[Ii] use (?:an? )?${NAME}`,
      `[Ww]e(?:'re| are)? (?:use|using|run on|running on|host (?:everything )?on|deploy (?:to|with|on)) ${NAME}`,
    ),
    unless:
      /^(?:I'm|I am|i'm|i am) (?:OK|Ok|Sure|Done|Fine|Sorry|Good|Back|Ready|Happy|Here|Not|So|Very|Just|Still|Also|Now|Going|Glad|Tired|AFK|All|Stuck|Lost|Confused|In|On|At|A|An|The)\b|\b(?:this|these|those|here)\b|\b(?:is|are) (?:NOT|OK|Ok|Down|Up)\b/u,
  },
]
