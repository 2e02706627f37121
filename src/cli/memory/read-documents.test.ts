import { describe, expect, it } from 'vitest'
import { readDocuments, type SourceDocument } from './read-documents.ts'

/** The bytes in pieces of so many, which cut lines and characters wherever they fall. */
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size)
}

async function read(text: string | Buffer, { size = 7, limit = 10_000 } = {}) {
  const found: SourceDocument[] = []
  for await (const document of readDocuments(pieces(Buffer.from(text), size), limit)) found.push(document)
  return found
}

const A = { id: 'a', text: 'Ünïcode 🎈 and\u2028a separator' }
const B = { id: 2, text: 'Second', metadata: { deep: [1, { x: null }] } }
const first = { place: 'document 1', value: A }
const second = { place: 'document 2', value: B }
const lines = (...values: unknown[]) => values.map((value) => JSON.stringify(value)).join('\n')

describe('readDocuments', () => {
  it.each([1, 2, 3, 5, 64, 1000])('reads JSON Lines in pieces of %i bytes', async (size) => {
    expect(await read(lines(A, B), { size })).toEqual([
      { place: 'line 1', value: A },
      { place: 'line 2', value: B },
    ])
  })

  it('accepts a byte order mark, CRLF, empty lines and a missing final newline', async () => {
    const text = `\u{feff}${JSON.stringify(A)}\r\n\r\n  \n${JSON.stringify(B)}`
    const expected = [
      { place: 'line 1', value: A },
      { place: 'line 4', value: B },
    ]
    expect(await read(text)).toEqual(expected)
    expect(await read(`${text}\r\n\n`)).toEqual(expected)
  })

  it('names invalid lines and reads the others', async () => {
    const text = Buffer.concat([
      Buffer.from(`${JSON.stringify(A)}\n{"id": 1, "text": "cut\n{"x": NaN}\nwords\n`),
      Buffer.from([0x7b, 0xff, 0x7d, 0x0a]),
      Buffer.from(JSON.stringify(B)),
    ])
    expect(await read(text)).toEqual([
      { place: 'line 1', value: A },
      { place: 'line 2', value: null, problem: expect.stringMatching(/^is not JSON: Unterminated string/) },
      { place: 'line 3', value: null, problem: "is not JSON: Unexpected token 'N'" },
      { place: 'line 4', value: null, problem: "is not JSON: Unexpected token 'w'" },
      { place: 'line 5', value: null, problem: 'is not UTF-8' },
      { place: 'line 6', value: B },
    ])
  })

  it('detects JSON Lines with an invalid first line', async () => {
    for (const wrong of ['{"id": 1, "text": "cut', 'words', '[1, 2]', '3']) {
      const found = await read(`${wrong}\n${lines(A)}`)
      expect(found).toMatchObject([{ place: 'line 1' }, { place: 'line 2', value: A }])
    }
  })

  it('skips a line that is too long', async () => {
    const long = { id: 1, text: 'x'.repeat(200) }
    expect(await read(lines(A, long, B), { limit: 100 })).toEqual([
      { place: 'line 1', value: A },
      { place: 'line 2', value: null, problem: 'is longer than 100 bytes' },
      { place: 'line 3', value: B },
    ])
  })

  it.each([
    ['a list', [A, B]],
    ['{ documents }', { documents: [A, B], dimension: 768 }],
  ])('reads %s, on one line or on many', async (_, whole) => {
    for (const indent of [0, 2]) expect(await read(JSON.stringify(whole, null, indent))).toEqual([first, second])
  })

  it('reads a docstore, on one line or on many, with its keys as ids', async () => {
    const store = {
      'doc-1': { page_content: 'One' },
      2: { page_content: 'Two', id: null },
      text: { page_content: 'Three' },
    }
    for (const indent of [0, 2]) {
      const found = await read(JSON.stringify(store, null, indent))
      expect(found.map(({ value }) => value)).toEqual([
        { page_content: 'Two', id: '2' },
        { page_content: 'One', id: 'doc-1' },
        { page_content: 'Three', id: 'text' },
      ])
    }
  })

  it('reads a single document, on one line or on many', async () => {
    expect(await read(JSON.stringify(B))).toEqual([{ place: 'line 1', value: B }])
    expect(await read(JSON.stringify(B, null, 2))).toEqual([{ place: 'document 1', value: B }])
  })

  it('finds nothing in an empty file or array', async () => {
    for (const empty of ['', '\n \r\n', '[]', '{ "documents": [] }', '{}']) expect(await read(empty)).toEqual([])
  })

  it('keeps every digit of a long id', async () => {
    const long =
      '{"id": 9007199254740993, "metadata": {"id": -9223372036854775808, "n": 9007199254740993}, "text": "x"}'
    const value = { id: '9007199254740993', metadata: { id: '-9223372036854775808', n: 2 ** 53 }, text: 'x' }
    expect(await read(long)).toEqual([{ place: 'line 1', value }])
    expect(await read(`[${long}]`)).toEqual([{ place: 'document 1', value }])
    expect(await read('{"id": 9007199254740991, "text": "x"}')).toMatchObject([{ value: { id: 9007199254740991 } }])
  })

  it('refuses a single value that is invalid or too large', async () => {
    await expect(read('[{"id": 1},\n {"id": 2')).rejects.toMatchObject({ code: 'VALIDATION', field: 'file' })
    await expect(read('{\n "documents": [')).rejects.toThrow(/^file: is not JSON: /)
    for (const indent of [0, 2]) {
      const whole = JSON.stringify([A, { text: 'x'.repeat(200) }], null, indent)
      await expect(read(whole, { limit: 100 })).rejects.toMatchObject({ code: 'VALIDATION', field: 'file' })
    }
    const many = JSON.stringify(Array(30).fill(B), null, 2)
    await expect(read(many, { limit: 100 })).rejects.toThrow('file: is one JSON value of more than 100 characters')
  })
})
