import { ENGLISH, words } from './words.ts'

/** Common words of other languages in Latin script that do not exist in English. */
const OTHER = words(`
  ich du er wir ihr sie mir mich dich uns der das den dem ein eine einen einem einer und oder aber nicht kein keine
  ist sind hast haben wird werden kann kannst können soll bitte danke vielen dank ja nein doch mal noch schon jetzt
  sehr gut wie warum wenn dann auch nur mit für auf von zu zum zur bei nach über mach mache machen weiter nimm
  gefällt sieht aus richtig falsch fertig genau wunderbar stopp hallo lass vergiss anders lieber statt beide
  je tu il elle nous vous ils le la les un une et ou mais pas est sont suis avec pour dans sur ce cette ces mon mes
  merci oui non plaît plait svp beaucoup très bien cest sil parfait arrête arrete bonjour salut
  comment pourquoi quoi encore aussi faire fais
  yo tú el ella nosotros los las una unos pero es está esta este esto estoy estás para por favor gracias
  muchas muy bien sí si qué que cómo cuando donde hola perfecto vale hazlo haz cambia otro otra todo nada así ahora
  puedes entiendo continúa sigue mejor también
  eu ele você voce nós não nao sim obrigado obrigada tudo bem isso isto uma com mas muito faça pode por
  io lui noi voi gli della che di non sono è grazie va bene favore così cosi questo basta perfetto ciao anche fatto sì
  ik jij wij het een niet maar met voor dank je wel graag goed nee ja mooi doe
  jeg det og ikke tak tack inte och är jag takk
  tak nie proszę prosze dziękuję dziekuje dobrze bardzo jest czy jak
  evet hayır hayir teşekkürler tamam lütfen lutfen bir değil
  ano děkuji prosím dobře kiitos hyvä joo ei terima kasih tidak salamat`)

const LETTER = /\p{L}/u
const LATIN = /\p{Script=Latin}/u
/** A non-ASCII letter counts only in a lower-case word: capitalized names are the same in every language. */
const SMALL_INITIAL = /^\p{Ll}/u
const BEYOND_ASCII = /[^ -~]/

/** Whether the words are more likely another language than English. Shared words do not count. */
export function isForeign(tokens: readonly string[]): boolean {
  let english = 0
  let foreign = 0
  let latinLetters = 0
  let otherLetters = 0
  for (const token of tokens) {
    for (const character of token) {
      if (LATIN.test(character)) latinLetters++
      else if (LETTER.test(character)) otherLetters++
    }
    const word = token.toLowerCase().replace(/['’]/g, '')
    if (ENGLISH.has(word)) english++
    else if (OTHER.has(word) || (SMALL_INITIAL.test(token) && BEYOND_ASCII.test(word))) foreign++
  }
  return otherLetters > latinLetters || foreign > english
}

/** Adjacent keys on a keyboard row. */
const KEY_RUNS = /asdf|sdfg|dfgh|fghj|ghjk|hjkl|qwer|wertz|uiop|zxcv|xcvb|cvbn|vbnm/
const SAME_LETTER = /^(.)\1{3,}$/
const CONSONANTS = /[bcdfghjklmnpqrstvwxz]{6}/
const VOWEL = /[aeiouy]/

/** Whether the word is random typing: not a word of any language, nor a name. */
export function isGibberish(word: string): boolean {
  if (!/^[a-z]{4,}$/.test(word)) return false
  return KEY_RUNS.test(word) || SAME_LETTER.test(word) || CONSONANTS.test(word) || !VOWEL.test(word)
}
