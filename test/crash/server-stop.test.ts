import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { open, type Throughline } from '../../src/index.ts'
import { amount, isProving, printFigure, withDatabaseFile } from '../proof.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'
import { type ServeProcess, startServeProcess } from '../servers/serve-process.ts'

const STOPS = amount(1, 40)
const WRITERS = 16

/** A write, and its response if there was one. */
interface Sent {
  content: string
  sequence?: number
}

async function append(url: string, id: string, content: string): Promise<number | undefined> {
  const response = await fetch(`${url}/v1/sessions/${id}/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': content },
    body: JSON.stringify({ type: 'user_message', content }),
  }).catch(() => undefined)
  if (response === undefined) return undefined
  const body = await response.text().catch(() => '')
  if (response.status === 201) return (JSON.parse(body) as { items: { sequence: number }[] }).items[0]?.sequence
  // the only error that a stop may cause, and it means that nothing was written
  expect([response.status, JSON.parse(body)]).toMatchObject([
    503,
    { code: 'UNAVAILABLE', details: { reason: 'stopping' } },
  ])
  return undefined
}

/** Writes without a pause until there is no response. */
async function writeUntilRefused(url: string, id: string, label: string, onResponse: () => void): Promise<Sent[]> {
  const sent: Sent[] = []
  for (let i = 0; ; i++) {
    const content = `${label} ${i}`
    const sequence = await append(url, id, content)
    sent.push({ content, ...(sequence !== undefined && { sequence }) })
    if (sequence === undefined) return sent
    onResponse()
  }
}

/** Follows the session until the server ends the stream. @returns whether it announced the end */
async function follow(url: string, id: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/sessions/${id}/stream`)
  return (await response.text()).endsWith('event: end\ndata: {}\n\n')
}

/** Stops a server under load, and compares the responses with the store. */
async function stopped(server: ServeProcess, id: string, label: string): Promise<Sent[]> {
  const enough = WRITERS * (2 + Math.floor(Math.random() * 20))
  let answers = 0
  let go = () => {}
  const loaded = new Promise<void>((resolve) => {
    go = resolve
  })
  const streams = Promise.all(Array.from({ length: 5 }, () => follow(server.url, id)))
  const writers = Array.from({ length: WRITERS }, (_, n) =>
    writeUntilRefused(server.url, id, `${label} ${n}`, () => {
      if (++answers === enough) go()
    }),
  )
  await loaded
  server.stop()
  const { code, errors } = await server.ended
  expect({ code, errors }).toEqual({ code: 0, errors: '' })
  expect(await streams).toEqual(Array(5).fill(true))
  return (await Promise.all(writers)).flat()
}

async function provenOn(target: string): Promise<void> {
  const tl = await open(target)
  const { id } = await tl.sessions.create({ userId: 'ada' })
  const sent: Sent[] = []
  for (let stop = 1; stop <= STOPS; stop++) {
    sent.push(...(await stopped(await startServeProcess({ THROUGHLINE_URL: target }), id, `life ${stop}`)))
  }
  const unheard = sent.filter(({ sequence }) => sequence === undefined)
  expect(sent.length - unheard.length).toBeGreaterThanOrEqual(STOPS * WRITERS)
  const before = await contentsOf(tl, id)
  for (const { content, sequence } of sent) {
    const expected = sequence === undefined ? [[], [before.get(content)?.[0]]] : [[sequence]]
    expect(expected, content).toContainEqual(before.get(content) ?? [])
  }
  const again = await startServeProcess({ THROUGHLINE_URL: target })
  for (const { content } of sent) expect(await append(again.url, id, content), content).toBeGreaterThan(0)
  again.stop()
  expect((await again.ended).code).toBe(0)
  const after = await contentsOf(tl, id)
  for (const { content } of sent) expect(after.get(content), content).toHaveLength(1)
  expect((await tl.verify()).differences).toEqual([])
  await tl.close()
  const late = unheard.filter(({ content }) => before.has(content)).length
  printFigure(
    `${STOPS} × SIGTERM under load: ${sent.length - unheard.length} appends answered 201, all there, none twice`,
  )
  printFigure(
    `${unheard.length} got no 201, of them ${late} were written; after a retry of all ${sent.length} each is there once`,
  )
}

async function contentsOf(tl: Throughline, id: string): Promise<Map<string, number[]>> {
  const session = await tl.sessions.get(id)
  const found = new Map<string, number[]>()
  for (let after = 1; ; ) {
    const page = await session.events({ after, limit: 500 })
    for (const { content, sequence } of page) found.set(content, [...(found.get(content) ?? []), sequence])
    if (page.length === 0) return found
    after = page.at(-1)?.sequence ?? 0
  }
}

describe('SIGTERM under load leaves every answered write in the store, once', () => {
  it('on sqlite', { timeout: 900_000 }, async () => {
    await withDatabaseFile((path) => provenOn(`sqlite:${path}`))
  })

  describe.each(isProving ? inject('postgres') : [])('$name', ({ url }) => {
    let databases: Databases
    beforeAll(async () => {
      databases = await databasesOf(url)
    })
    afterAll(() => databases.close())

    it('on postgres', { timeout: 900_000 }, async () => {
      const database = await databases.recycled()
      await provenOn(database.url(SERVING))
      await database.destroy()
    })
  })
})
