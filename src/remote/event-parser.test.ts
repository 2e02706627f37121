import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEventParser, type ServerEvent } from './event-parser.ts'

/** Parses a text whose bytes are cut at these positions. */
function eventsOf(text: string, cuts: readonly number[] = []): ServerEvent[] {
  const bytes = new TextEncoder().encode(text)
  const parse = createEventParser()
  const positions = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return positions.slice(1).flatMap((end, i) => parse(bytes.subarray(positions[i], end)))
}

describe('the parser of server-sent events', () => {
  it.each<[what: string, text: string, events: ServerEvent[]]>([
    ['data', 'data: a\n\n', [{ event: 'message', data: 'a' }]],
    ['a name', 'event: end\ndata: {}\n\n', [{ event: 'end', data: '{}' }]],
    ['a name for one event only', 'event: x\ndata: 1\n\ndata: 2\n\n', [{ event: 'x', data: '1' }, ...message('2')]],
    ['lines of data', 'data: a\ndata:\ndata: b\n\n', message('a\n\nb')],
    ['all kinds of line ends', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', message('a', 'b', 'c')],
    ['comments and unknown fields', ': here\nretry: 1\nid: 7\nnothing\ndata: a\n\n: still here\n\n', message('a')],
    ['one space after the colon, and no more', 'data:a\n\ndata:  b\n\n', message('a', ' b')],
    ['colons in the data', 'data: {"a":"b: c"}\n\n', message('{"a":"b: c"}')],
    ['a field without a colon', 'data\n\n', message('')],
    ['a byte order mark', '\ufeffdata: a\n\n', message('a')],
    ['no event without data', 'event: x\n\ndata: a\n\n', message('a')],
    ['no incomplete event', 'data: a\n\ndata: b\n', message('a')],
  ])('handles %s', (_, text, events) => {
    expect(eventsOf(text)).toEqual(events)
    // byte by byte, so also between CR and LF and inside UTF-8 characters
    expect(
      eventsOf(
        text,
        Array.from({ length: 200 }, (_cut, i) => i),
      ),
    ).toEqual(events)
  })

  it('returns the same events however the bytes are cut', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
      fc.constantFrom(': comment 中', 'event: x', 'data', 'id: 1', ''),
    )
    const end = fc.constantFrom('\n', '\r', '\r\n')
    const texts = fc.array(fc.tuple(line, end)).map((lines) => lines.flat().join(''))
    fc.assert(
      fc.property(texts, fc.array(fc.nat()), (text, cuts) => {
        expect(eventsOf(text, cuts)).toEqual(eventsOf(text))
      }),
    )
  })

  it('returns the events that were written', () => {
    const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\r', ''))
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat()), (all, cuts) => {
        const written = all
          .map(
            (data) =>
              `${data
                .split('\n')
                .map((part) => `data: ${part}\n`)
                .join('')}\n`,
          )
          .join('')
        expect(eventsOf(written, cuts)).toEqual(message(...all))
      }),
    )
  })
})

function message(...all: readonly string[]): ServerEvent[] {
  return all.map((data) => ({ event: 'message', data }))
}
