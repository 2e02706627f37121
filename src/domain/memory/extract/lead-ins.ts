/** Lead-ins of statements, and signs that a text is not a statement. */

const GREETING = 'hey|hi|hello|yo|dear|morning|good (?:morning|afternoon|evening)'
const FILLER =
  'ok|okay|well|so|and|but|also|oh|ah|um|yes|yeah|yep|no|nope|right|sure|great|cool|nice|perfect|look|listen|now|first|second|plus|finally|additionally|besides|actually|honestly|frankly|personally|basically|anyway|generally|tbh|btw|fyi|thanks|thank you|please|pls|plz|kindly|sorry|claude|chatgpt|gemini|copilot|assistant|agent'
const ASIDE = [
  'by the way',
  "(?:just )?(?:so you(?:'re| are) aware|so you know|to let you know|for your information)",
  '(?:just )?(?:for (?:some |your )?(?:context|reference|background)|some context|a (?:bit|little) of context)',
  '(?:just )?a? ?(?:quick )?(?:heads[- ]up|note|reminder)(?: that)?',
  '(?:(?:one|another) (?:(?:more|last|other|final) )?(?:thing|point|note|rule|request)|quick (?:one|question|thing))',
  '(?:the )?thing is(?: that)?',
  'you should (?:also )?know(?: that)?',
  'I should (?:also )?(?:mention|say|add)(?: that)?',
  "(?:it's )?worth (?:mentioning|noting|knowing)(?: that)?",
  "(?:as|like) (?:I(?:'ve)? (?:said|mentioned|told you)|you(?: may| might)? know)(?: before| earlier)?",
  'to be (?:honest|clear|fair|precise)|in (?:general|fact|my case)|as for me|speaking of which|(?:a )?(?:bit|little) about me|about me',
  String.raw`(?:my|our) (?:rule|preference|rules|preferences)|rule(?: number)?(?: \d+| one| two| three)?|preference|important`,
].join('|')

/** One lead-in at the start of a sentence. */
export const LEAD_IN = new RegExp(
  String.raw`^(?:(?:${GREETING})(?: (?:there|all|everyone|again|claude))?|${ASIDE}|${FILLER})(?:\s*[,:!.–—-]+\s+|\s*$|\s+(?=\S))`,
  'iu',
)

/** A line that introduces the user's own statements or requests. */
export const INTRODUCTION =
  /^(?:(?:also|and|so|please|ok|okay|hi|hello|hey)[ ,]+)*(?:(?:a )?(?:bit|little|few (?:things|facts|words)|things|facts|something|more)(?: to know)? about (?:me|us|myself)|about (?:me|us|myself)|(?:my|our|some|a few|the|here are (?:my|our|some|a few)) (?:preferences|rules|ground rules|conventions|facts|house rules)[\w ]*|(?:please )?remember(?: the following| this| these)?|from now on|going forward|for the record|(?:please )?keep (?:this |these |the following )?in mind)\s*:$/iu

const ASKING = '^(?:(?:please|can you|could you|would you|now|then|and|also|help me|hi|hey|ok|so)[ ,]+)*'
const TEXT =
  'text|e-?mail|letter|paragraph|sentence|essay|bio|biography|cv|resume|article|message|story|speech|post|review'

/** A request about a text: the message then contains someone's text, not the user's statements. */
export const OTHERS_TEXT = new RegExp(
  String.raw`${ASKING}(?:(?:translate|proofread|paraphrase|rephrase|reword|summari[sz]e|spell-?check)\b|(?:rewrite|edit|correct|polish|shorten|improve|analy[sz]e|classify|fix|check)\b[^.!?]{0,40}\b(?:this:|the following|the above|below|(?:${TEXT})s?\b))`,
  'iu',
)

/** Starts fiction or a text in another voice. */
export const FICTION = new RegExp(
  String.raw`${ASKING}(?:imagine|pretend|suppose|supposing|assume|assuming|hypothetically|let's (?:say|pretend|imagine|assume|suppose|role-?play)|say (?:I|we|my)\b|what if|picture this|role-?play|act (?:as|like)\b|you(?:'re| are) (?:a|an|now|my|\p{L}+ing me)\b|(?:in|for) this (?:scenario|exercise|game|story|scene|example|test)\b|play the|once upon|for example|for instance|e\.g\.|example|(?:write|draft|compose|create|generate|make|give|send|tell)\b(?!.*\b(?:from now on|always|never|going forward|in future)\b)[^.!?]{0,60}\b(?:${TEXT}|poem|song|tweet|profile|dialogue|monologue|persona|scene|script|character|example|joke|reply|toast|lyrics|prompt)\b)`,
  'iu',
)

/** Hypothetical statements. */
export const HYPOTHESIS =
  /^(?:if|unless|even if|as if|in case|imagine|suppose)\b(?!.*\b(?:always|never)\b)|\b(?:if I were|if I was|if I had|hypothetical|hypothetically|just kidding|kidding|jk|joking|sarcasm)\b/iu

/** Doubtful or ironic statements. */
export const HEDGE =
  /\b(?:maybe|perhaps|probably|possibly|apparently|supposedly|allegedly|might|not sure|unsure|no idea|don't know (?:if|whether|what)|I (?:guess|suppose|think|wonder|doubt|believe|assume|hope|wish)|kind of|kinda|sort of|sorta|would have|could have|lol|haha|who knows)\b|\/s$/iu

/** A line of data, code or a log. */
export const DATA_LINE = new RegExp(
  [
    String.raw`^\s*[\[{<|$#@\]}/]`,
    String.raw`^\s*(?:\[?\d{4}-\d\d-\d\d|\d{1,2}:\d\d)`,
    String.raw`^\s*(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b|^\s*(?:trace|debug|info|warn|warning|error|fatal)\s*[:\[]`,
    String.raw`^\s*at \S+ ?\(|^\s*(?:diff --git|\+\+\+ |--- |Traceback|import |const |function |def |SELECT |INSERT )`,
    String.raw`^\s*\S+(?:Error|Exception)\b`,
    String.raw`[;{}]\s*$|=>|\(\)|</|/>|&&|\|\||==`,
  ].join('|'),
  'u',
)
