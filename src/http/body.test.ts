import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../domain/limits.ts'
import { Admission, DEFAULT_LIMITS } from './admission.ts'
import { readBody } from './body.ts'

/** Reads what comes in these pieces. */
function read(pieces: readonly (string | Buffer)[], body = DEFAULT_LIMITS.body): Promise<unknown> {
  const message = new IncomingMessage(new Socket())
  for (const piece of pieces) message.push(piece)
  message.push(null)
  return new Promise((resolve, reject) => {
    const visit = new Admission(DEFAULT_LIMITS).enter({ name: 'local' })
    readBody(message, { ...DEFAULT_LIMITS, body }, visit, (error, body) =>
      error === null ? resolve(body) : reject(error),
    )
  })
}

const refused = (code: string) => expect.objectContaining({ code, field: 'body' })
const padding = `"${'x'.repeat(70_000)}"`

describe('a body', () => {
  it('is read as it comes, in whatever pieces', async () => {
    expect(await read(['{"a":', '[1,-0]', '}'])).toEqual({ a: [1, -0] })
    const text = Buffer.from('"grün"')
    expect(await read(Array.from(text, (byte) => Buffer.of(byte)))).toBe('grün')
    expect(await read([])).toBeUndefined()
  })

  it('must be UTF-8, and JSON, and no larger than the limit', async () => {
    await expect(read([Buffer.of(0x22, 0xff, 0x22)])).rejects.toEqual(refused('VALIDATION'))
    await expect(read(['{'])).rejects.toEqual(refused('VALIDATION'))
    await expect(read(['"12', '34"'], 5)).rejects.toEqual(refused('TOO_LARGE'))
    expect(await read(['"12', '3"'], 5)).toBe('123')
  })

  it('that is large is parsed in one turn of the event loop and used in the next', async () => {
    const order: string[] = []
    const reading = async (bytes: number) => {
      const body = read([`"${'x'.repeat(bytes)}"`]).then(() => order.push(`body of ${bytes}`))
      process.nextTick(() => setImmediate(() => order.push('other work')))
      await body
      await new Promise(setImmediate)
    }
    await reading(10)
    await reading(2_000_000)
    expect(order).toEqual(['body of 10', 'other work', 'other work', 'body of 2000000'])
  })

  it('of nothing but brackets is refused before it is parsed', async () => {
    await expect(read(['['.repeat(70_000), ']'.repeat(70_000)])).rejects.toEqual(refused('VALIDATION'))
    await expect(read(['[', '[],'.repeat(1_000_000), '[]]'])).rejects.toEqual(refused('TOO_LARGE'))
  })

  it('of a million values, or of too many different names, is refused before it is parsed', async () => {
    await expect(read([`[${'1,'.repeat(1_000_001)}1]`])).rejects.toEqual(refused('TOO_LARGE'))
    const names = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [i, 1])))
    await expect(read([names(100_000)])).rejects.toEqual(refused('TOO_LARGE'))
    // not even JSON: only the count before parsing can tell
    await expect(read([`${names(100_000)}!`])).rejects.toEqual(refused('TOO_LARGE'))
    expect(await read([names(LIMITS.members)])).toHaveProperty(`${LIMITS.members - 1}`, 1)
  })

  it('may repeat the same names', async () => {
    const many = Array.from({ length: 100_000 }, () => ({ id: 1, name: 'x' }))
    expect(await read([JSON.stringify(many)])).toHaveLength(100_000)
    await expect(read([`"${'x'.repeat(100_000)}"${':'.repeat(100_000)}`])).rejects.toEqual(refused('VALIDATION'))
  })

  it('is counted by its lists and objects, and not by what stands in its texts', async () => {
    const text = '[{"'.repeat(50_000)
    expect(await read([JSON.stringify([text])])).toEqual([text])
    expect(await read([`[${padding},"\\\\",[]]`])).toHaveLength(3)
    const nested = `${'['.repeat(107)}${padding}${']'.repeat(107)}`
    await expect(read([nested])).resolves.toBeDefined()
    await expect(read([`[[${nested}]]`])).rejects.toEqual(refused('VALIDATION'))
  })
})
