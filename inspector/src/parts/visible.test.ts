import { describe, expect, it } from 'vitest'
import { oneLine, preview, visible } from './visible.ts'

/** Characters without a mark of their own, wherever they stand. */
const INVISIBLE = [
  ...[0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180c, 0x180d, 0x180e, 0x200b, 0x200c, 0x200d],
  ...[0x200e, 0x2028, 0x202e, 0x2060, 0x2066, 0x2800, 0x3164, 0xfe00, 0xfe0e, 0xfe0f, 0xfeff, 0xffa0, 0xfff9],
  ...[0xe0001, 0xe007f, 0xe0100, 0xe01ef],
]
const named = (code: number) => `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`

/** Signs that hold joiners and selectors: a couple, a flag, a profession, a heart, a key; Persian, Hindi, Sinhala. */
const SIGNS = ['👩‍❤️‍👨', '🏳️‍🌈', '👩🏽‍💻', '❤️', '1️⃣']
const WORDS = ['می‌خواهم', 'क्‍ष', 'ක්‍ෂ']

describe('text as it may be shown', () => {
  it('hides no character', () => {
    for (const code of INVISIBLE) {
      expect(visible(`us${String.fromCodePoint(code)}er`), named(code)).toBe(`us${named(code)}er`)
    }
    expect(visible('a\u0000\u001b\u007f\u0085\ud800')).toBe('a\u2400\u241b\u2421[U+0085][U+D800]')
    expect(visible('a\tb\nc é 😀 中')).toBe('a\tb\nc é 😀 中')
  })

  it('leaves out the colors of a terminal, but shows other sequences and those in a name', () => {
    expect(visible('\u001b[2mdim\u001b[0m \u001b[38;5;1mred\u001b[m')).toBe('dim red')
    expect(preview('\u001b[1mbold')).toBe('bold')
    expect(visible('\u001b[2Jx \u001b]0;title')).toBe('\u241b[2Jx \u241b]0;title')
    expect(oneLine('\u001b[8mname')).toBe('\u241b[8mname')
  })

  it('keeps joiners that an emoji or a script needs', () => {
    for (const text of [...SIGNS, ...WORDS]) {
      expect(visible(`so ${text}!`)).toBe(`so ${text}!`)
      expect(preview(`so\n${text}!`)).toBe(`so ${text}!`)
    }
  })

  it('shows them anywhere else, and when doubled', () => {
    expect(visible('a\u200d😀\ufe0f\ufe0f 😀\u200d')).toBe('a[U+200D]😀\ufe0f[U+FE0F] 😀[U+200D]')
    expect(visible('1\ufe0f \u0645\u200c\u200c\u062e\u200c')).toBe('1[U+FE0F] \u0645[U+200C][U+200C]\u062e[U+200C]')
  })

  it('shows all of them in a name', () => {
    for (const text of [...SIGNS, ...WORDS]) expect(oneLine(text)).toMatch(/\[U\+(?:200C|200D|FE0F)\]/)
    expect(oneLine(' two\n lines ')).toBe('two lines')
    expect(oneLine('x'.repeat(20), 10)).toBe(`${'x'.repeat(10)}…`)
  })
})
