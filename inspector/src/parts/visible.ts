/**
 * Text that is safe to show anywhere. Control characters become their pictures; invisible characters and those that
 * change the writing direction become their names in brackets, so nobody can hide or disguise a word. Characters that
 * an emoji or a script needs stay; colors of a terminal go.
 */
export function visible(text: string): string {
  const plain = text.replace(COLORS, '')
  return plain.replace(HIDDEN, (character, at: number) => {
    NEEDED.lastIndex = at
    return NEEDED.test(plain) ? character : named(character)
  })
}

/** The start of a name on one line, with every hidden character spelled out, so no two names look the same. */
export function oneLine(text: string, most = 200): string {
  return lineOf(text, most, (line) => line.replace(HIDDEN, named))
}

/** The start of a text on one line. */
export function preview(text: string, most = 200): string {
  return lineOf(text, most, visible)
}

function lineOf(text: string, most: number, shown: (line: string) => string): string {
  const line = shown(text.slice(0, most + 1).replace(/\s+/g, ' ')).trim()
  return text.length > most ? `${line.slice(0, most)}…` : line
}

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
}

/** Escape sequences that only style what follows, such as `ESC[1;31m`. */
const COLORS = new RegExp(`${String.fromCharCode(0x1b)}\\[[\\d;:]{0,40}m`, 'g')

// controls except tab and line feed, lone surrogates, invisible characters, line separators, annotations
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]/gu

/** Scripts that spell words with joiners. */
const SCRIPTS = 'Arab Beng Deva Gujr Guru Knda Mlym Orya Sinh Taml Telu'
const LETTER = `[${SCRIPTS.replace(/\w+ ?/g, (name) => `\\p{Script_Extensions=${name.trim()}}`)}]`
const PICTURE = '\\p{Extended_Pictographic}'

/** A joiner or selector that combines its neighbors into one emoji, or shapes the letters beside it. */
const NEEDED = new RegExp(
  [
    `(?<=${PICTURE}\\ufe0f?|\\p{Emoji_Modifier})\\u200d(?=${PICTURE})`,
    `(?<=${PICTURE})\\ufe0f`,
    '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
    `(?<=${LETTER})[\\u200c\\u200d](?=${LETTER})`,
  ].join('|'),
  'uy',
)
