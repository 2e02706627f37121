import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Throughline } from '../../api.ts'
import { open } from '../../open/open.ts'

/** In everything that ada says, and in no schema. */
const SECRET = 'zanzibar'

let folder: string
let path: string
let tl: Throughline

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  path = join(folder, 'sessions.db')
  tl = await open(`sqlite:${path}`)
})

afterEach(async () => {
  await tl.close()
  await rm(folder, { recursive: true })
})

/** The files of the open database that contain a text. */
async function filesWith(text: string): Promise<string[]> {
  const found: string[] = []
  for (const name of (await readdir(folder)).sort()) {
    if ((await readFile(join(folder, name), 'latin1')).toLowerCase().includes(text)) found.push(name)
  }
  return found
}

/** Data of two users in turns, so that they share pages. */
async function bothSpeak(bytes: number): Promise<void> {
  const ada = await tl.sessions.create({ userId: 'ada', task: `${SECRET} trip`, metadata: { note: SECRET } })
  const bob = await tl.sessions.create({ userId: 'bob' })
  for (let n = 0; n < 60; n++) {
    const content = n % 20 === 0 ? `${SECRET} `.repeat(bytes / 10) : `Where is ${SECRET}${n}? `.repeat(n)
    await ada.append({ type: 'user_message', content }, { idempotencyKey: `${SECRET} ${n}` })
    await bob.append({ type: 'user_message', content: `Keep the timbuktu map ${n}` })
  }
  await ada.updateState({ place: SECRET })
  await tl.memories.remember({ userId: 'ada', content: `Ada loves ${SECRET}` })
  await tl.index()
}

it('a purge leaves no byte of a user in any file, while the database stays open', async () => {
  await bothSpeak(400_000)
  expect(await filesWith(SECRET)).toContain('sessions.db-wal')
  const receipt = await tl.users.purge('ada')
  expect(receipt).toMatchObject({ sessions: 1 })
  expect(receipt).not.toHaveProperty('pending')
  expect(await filesWith(SECRET)).toEqual([])
  expect(await filesWith('timbuktu')).toEqual(['sessions.db'])
  expect((await tl.verify()).differences).toEqual([])
})

it('the receipt is pending while a reader needs the log, and a sweep erases it later', async () => {
  await bothSpeak(1000)
  const reader = new Database(path, { readonly: true })
  reader.exec('begin')
  reader.prepare('select count(*) from session_events').get()
  const [session] = (await tl.sessions.list({ userId: 'ada' })).items
  expect(await tl.sessions.purge(session?.id ?? '')).toMatchObject({ sessions: 1, pending: true })
  expect(await tl.users.purge('ada')).toMatchObject({ pending: true })
  expect((await tl.sessions.list({ userId: 'ada' })).items).toEqual([])
  await tl.sweep()
  expect(await filesWith(SECRET)).toContain('sessions.db-wal')
  reader.close()
  await tl.sweep()
  expect(await filesWith(SECRET)).toEqual([])
})

it('a log that grew because of a reader shrinks once the reader has ended', async () => {
  const size = async () => (await stat(`${path}-wal`)).size
  const session = await tl.sessions.create({ userId: 'ada' })
  const reader = new Database(path, { readonly: true })
  reader.exec('begin')
  reader.prepare('select count(*) from session_events').get()
  for (let n = 0; n < 3; n++) await session.append({ type: 'user_message', content: 'x'.repeat(8_000_000) })
  expect(await size()).toBeGreaterThan(20_000_000)
  reader.close()
  // the first commit copies the log, the next one starts it again
  for (let n = 0; n < 2; n++) await session.append({ type: 'user_message', content: 'y' })
  expect(await size()).toBeLessThan(17_000_000)
})
