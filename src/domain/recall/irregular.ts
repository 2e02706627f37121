/** General English morphology that no rule of endings covers: irregular verbs and plurals. */

const FORMS = `
arise arose arisen|awake awoke awoken|bear bore born borne|beat beaten|become became|begin began begun|bend bent|bet|bind bound|
bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|
catch caught|choose chose chosen|come came|creep crept|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk|
drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|flee fled|fly flew flown|
forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|
go goes went gone|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt|know knew known|lay laid|
lead led|leap leapt|learn learnt|leave left|lend lent|lie lain|light lit|lose lost|make made|mean meant|meet met|pay paid|
prove proven|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent|
sew sewn|shake shook shaken|shine shone|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|
sleep slept|slide slid|speak spoke spoken|speed sped|spend spent|spin spun|spring sprang sprung|stand stood|steal stole stolen|
stick stuck|sting stung|strike struck|strive strove|swear swore sworn|sweep swept|swell swollen|swim swam swum|swing swung|
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood|wake woke woken|
wear wore worn|weave wove woven|weep wept|win won|wind wound|withdraw withdrew withdrawn|write wrote written|
child children|person people|man men|woman women|foot feet|tooth teeth|goose geese|mouse mice|wife wives|life lives|knife knives|
leaf leaves|shelf shelves|half halves|wolf wolves|loaf loaves|calf calves|thief thieves|self selves|hero heroes|potato potatoes|
tomato tomatoes|good better best|bad worse worst|far further farther|movie movies|cookie cookies|
mom mum mommy mummy mama|dad daddy papa|grandma granny grandmother|grandpa grandad grandfather|
photo photograph pic picture|tv television|bike bicycle|phone telephone|fridge refrigerator|vet veterinarian|gym gymnasium|
exam examination|fave favourite favorite|colour color|
january jan|february feb|august aug|september sept sep|october oct|november nov|december dec
`

/** Irregular form to base word: "went" → "go", "children" → "child". */
export const BASE_FORM: ReadonlyMap<string, string> = new Map(
  FORMS.replace(/\n/g, '')
    .split('|')
    .flatMap((line) => {
      const [base = '', ...forms] = line.trim().split(' ')
      return forms.map((form) => [form, base] as const)
    }),
)
