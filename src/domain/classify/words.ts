/** Parses a set of words from one text, to keep long lists readable. */
export function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''))
}

export const THANKS = words('thanks thank thx ty tysm cheers appreciated appreciate grateful 🙏')

/** Says that something is good or finished. */
export const PRAISE = words(`
  good great perfect excellent awesome amazing nice lovely beautiful gorgeous wonderful brilliant fantastic superb cool
  sweet neat lgtm love loved like works working exactly correct happy pleased satisfied confirmed approved approve done
  finished complete impressive charm sense understood solid splendid outstanding flawless spotless ideal delighted fun
  👍 👌 🎉 🚀 ✅ 💯 🙌 🔥 ❤`)

export const ASSENT = words(`
  yes yep yeah yup yea yas y ok okay okey k kk sure alright right agreed definitely absolutely indeed certainly
  affirmative roger fine 👍 👌 ✅`)

export const REFUSAL = words('no nope nah nay 👎')

/** Words that do not change praise, thanks or assent. */
export const GLUE = words(`
  i im ive am id we were it its is are was be this that thats thatll these all everything everyone looks look looking
  seems sounds feels to me us very much so really a an the of for your you youre help work job stuff effort now here too
  and just with wanted needed asked hoped need what as planned expected agreed far pretty totally truly such both one thing
  things enough got it hear by again lot bunch million man mate buddy great explanation plan idea start catch call choice
  then well do does did will would be have has on from my side end way please`)

export const SMILES = words('😊 🙂 😀 😄 😍 🥳 😁 🤩')

export const NEGATION = words(`
  not no dont doesnt didnt isnt arent wasnt werent cant cannot couldnt wont wouldnt shouldnt havent hasnt never nothing
  neither nor without`)

export const HESITATION = words(
  'hm hmm hmmm mmh mhm hmmmm um umm uh uhm er erm huh eh wait wat pause hold hang moment sec',
)

export const FILLER = words(`
  hi hello hey yo hiya howdy greetings morning evening lol haha hahaha lmao rofl blah bla brb afk test testing foo bar
  wow oh ah ooh again there`)

/** Refers back to something mentioned. */
export const ANAPHORA = words('it its this that these those them they there same')

/** Work that belongs to any task. */
export const COMPANIONS = words(`
  test tests docs doc documentation readme changelog comment comments log logs logging error errors type types lint linter
  commit pr typo typos format formatting build ci cleanup edge case cases version dependency dependencies change changes
  parameter parameters variable variables function file files line lines default defaults benchmark coverage
  backup undo snapshot wording title heading summary intro color colour font size margin padding`)

/** Verbs that request new work. */
export const CREATING = words(`
  write create draft generate build design compose plan convert translate summarize summarise explain parse help
  recommend review draw organize organise teach tell prepare develop implement set setup debug investigate find give show
  suggest research book calculate compare analyze analyse migrate sketch invent start look brainstorm talk discuss work
  send scrape deploy configure make`)

/** Verbs that request a change to existing work. */
export const EDITING = words(`
  add change rename remove delete move fix use swap skip keep put update revert undo redo run check replace switch adjust
  increase decrease reduce shorten extend expand split merge push rebase roll pin bump limit cap avoid include exclude
  drop stop cancel forget leave try turn enable disable take go let handle ensure do dont verify correct improve clean
  cut align center centre sort wrap log document simplify refactor set continue proceed carry apply restore retry rerun
  follow ask mention rewrite resize hide call treat read test return ignore allow support store save`)

/** Verbs that change something even when a question is open. */
export const CHANGE = words('update change rename fix add remove switch')

const STOPWORDS = words(`
  a an the of for to in on at by from with into onto over under about as and or but so if then than that this these those
  it its is are was were be been am do does did have has had will would can could should shall may might must i im id ive
  ill we were well you your youre my me our us he she they them their his her there here now next also too just please
  pls not no yes ok all any some more most very really what which who whom how why when where whatever again still only
  one thing things stuff lets let get got need want like good great new make sure able up out off down back`)

const COMMON = words(`
  after before because while until since during between without within again away around another other others else each
  every first second third last later soon today tomorrow yesterday night week month year day days hour hours minute
  minutes time times already almost always sometimes often maybe perhaps probably quite rather instead even ever
  though although however except unless plus both either none nobody anybody everybody something anything nothing
  left side top bottom middle big bigger small smaller long longer short shorter fast faster slow slower high low wrong
  better best worse worst same different old simple easy hard harder possible important urgent enough less few many much
  people users user customer customers client team everyone page screen button code app server project task work works
  worked working broken broke fail fails failed failing missing forgot found tried trying seems said says told mean meant
  think thought know see saw looks feel hope wish happen happens happened supposed expected agreed decided prefer
  stop stopped cancel cancelled quit abort abandon nevermind nvm discard scrap scratch throw kill give hold park
  anymore longer needed bother mind matter matters course whole entire
  question answer problem issue idea option options number half part parts point reason way ways word words name email
  yet once twice ago per via etc vs against along across above below behind near next instead plain text list table
  money price budget euros dollars percent hello thanks sorry welcome right left red blue green black white brown
  jokes slide slides story poem song letter photo photos picture image video music book game food dinner lunch house car
  whichever whoever mostly usually kind sort sounds sound going gonna wanna gotta cant couldnt`)

/** Common English words, to compare with other languages. */
export const ENGLISH: ReadonlySet<string> = new Set(
  [
    ...[THANKS, PRAISE, ASSENT, REFUSAL, GLUE, NEGATION, HESITATION, FILLER, ANAPHORA, COMPANIONS, CREATING],
    ...[EDITING, STOPWORDS, COMMON],
  ]
    .flatMap((set) => [...set])
    .filter((word) => /^[a-z]+$/.test(word)),
)

/** Whether the word carries content. */
export function hasContent(word: string): boolean {
  return word.length > 1 && !STOPWORDS.has(word) && !NEGATION.has(word)
}

/** Removes endings, so that "retries" matches "retry" and "pooling" matches "pool". */
export function stem(word: string): string {
  let base = word
  if (base.length > 4 && base.endsWith('ies')) base = `${base.slice(0, -3)}y`
  else if (base.length > 4 && /(?:s|x|z|ch|sh)es$/.test(base)) base = base.slice(0, -2)
  else if (base.length > 3 && base.endsWith('s') && !base.endsWith('ss')) base = base.slice(0, -1)
  if (base.length > 5 && base.endsWith('ing')) base = base.slice(0, -3)
  else if (base.length > 4 && base.endsWith('ed')) base = base.slice(0, -2)
  if (base.length > 3 && base.at(-1) === base.at(-2) && !/[sl]$/.test(base)) base = base.slice(0, -1)
  return base.length > 4 && base.endsWith('e') ? base.slice(0, -1) : base
}
