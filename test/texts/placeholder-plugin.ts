import { type Plugin, parseSync, Visitor } from 'vite'

/** What stands in place of every text for people. */
export const PLACEHOLDER = '«text»'

/**
 * Files whose sentences are input: the language that the classifier, the extraction and the recall understand. Others
 * are for people.
 */
const VOCABULARY = /\/src\/domain\/(classify|memory|recall)\//

const SOURCE = /\/src\/(?!stores\/conformance\/).*(?<!\.test)\.ts$/

/**
 * Replaces every string and template of the source that reads as a sentence, so that no rule can depend on its
 * wording.
 */
export function placeholderTexts(): Plugin {
  return {
    name: 'placeholder-texts',
    enforce: 'pre',
    transform: (code, id) => (SOURCE.test(id) && !VOCABULARY.test(id) ? replaceTexts(code, id) : undefined),
  }
}

export function replaceTexts(code: string, file: string): string {
  const edits: { start: number; end: number; text: string }[] = []
  new Visitor({
    Literal({ value, start, end }) {
      if (typeof value === 'string' && isSentence(value)) edits.push({ start, end, text: `'${PLACEHOLDER}'` })
    },
    TemplateLiteral({ quasis }) {
      if (!isSentence(quasis.map(({ value }) => value.cooked).join('x'))) return
      for (const [n, { start, end, tail }] of quasis.entries())
        edits.push({ start: start + 1, end: end - (tail ? 1 : 2), text: n === 0 ? PLACEHOLDER : ' ' })
    },
  }).visit(parseSync(file, code).program)
  const inOrder = edits.toSorted((a, b) => a.start - b.start)
  return inOrder.reduceRight((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code)
}

/** Whether a text holds two words in a row. */
function isSentence(text: string): boolean {
  return /\p{L}\p{Ll}*[’'",.:;!?)]* ["'(]?\p{L}/u.test(text)
}
