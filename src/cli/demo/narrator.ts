import type { Output, Style } from '../output.ts'
import { sanitizeLines, wrap } from '../text.ts'

/** Characters of a label, and of the text beside it: 80 together. */
const LABEL = 10
const TEXT = 67

/** Prints the demo step by step. */
export interface Narrator {
  /** Starts a section. */
  part(name: string, about: string): void
  /** A label and its text, wrapped. */
  line(label: string, text: string, style?: Style): void
}

export function narratorTo({ say, paint }: Output): Narrator {
  return {
    part: (name, about) => say(`\n${paint(['bold', 'inverse'], ` ${name} `)} ${paint('bold', about)}`),
    line(label, text, style = []) {
      const lines = sanitizeLines(text)
        .split('\n')
        .flatMap((one) => wrap(one, TEXT))
      for (const [i, one] of lines.entries()) {
        const name = (i === 0 ? label : '').padEnd(LABEL)
        say(`  ${paint('dim', name)} ${paint(style, one)}`)
      }
    },
  }
}
