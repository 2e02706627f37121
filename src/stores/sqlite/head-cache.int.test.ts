import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Throughline } from '../../index.ts'
import { open } from '../../index.ts'

// two connections to one file, as two processes would have
let folder: string
let ours: Throughline
let theirs: Throughline

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'throughline-heads-'))
  ours = await open({ url: `sqlite:${join(folder, 'a.db')}`, index: false })
  theirs = await open({ url: `sqlite:${join(folder, 'a.db')}`, index: false })
})

afterEach(async () => {
  await ours.close()
  await theirs.close()
  rmSync(folder, { recursive: true })
})

async function exported(sessionId: string) {
  const lines = []
  for await (const line of ours.export({ sessionId })) lines.push(line)
  return lines
}

const said = { type: 'user_message', content: 'hello' } as const

it('reads a cached head again after another connection appends', async () => {
  const session = await ours.sessions.create({ userId: 'ann' })
  const same = await theirs.sessions.get(session.id)
  const sequences: number[] = []
  for (let i = 0; i < 6; i++) {
    const [event] = await (i % 2 === 0 ? session : same).append(said)
    sequences.push(event?.sequence ?? 0)
  }
  expect(sequences).toEqual([2, 3, 4, 5, 6, 7])
  expect((await ours.verify(session.id)).differences).toEqual([])
})

it('an append sees an end and a purge by another connection', async () => {
  const [one, two] = [await ours.sessions.create({ userId: 'ann' }), await ours.sessions.create({ userId: 'bob' })]
  await one.append(said)
  await two.append(said)
  await (await theirs.sessions.get(one.id)).end()
  await theirs.sessions.purge(two.id)
  await expect(one.append(said)).rejects.toMatchObject({ code: 'SESSION_ENDED' })
  await expect(two.append(said)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})

it('stores types again for a session that was purged and imported with the same id', async () => {
  const session = await ours.sessions.create({ userId: 'ann' })
  await session.append(said)
  const lines = await exported(session.id)
  for (const purge of [ours, theirs]) {
    await purge.sessions.purge(session.id)
    await purge.import(lines)
    await session.append({ type: 'model_message', content: 'again' })
    await session.append(said)
    const found = await session.events({ types: ['user_message', 'model_message'] })
    expect(found.map(({ content }) => content)).toEqual(['hello', 'again', 'hello'])
  }
})

it('drops the head of a failed append', async () => {
  const session = await ours.sessions.create({ userId: 'ann' })
  await session.append(said)
  await expect(session.append(said, { expectedSequence: 9 })).rejects.toMatchObject({ code: 'SEQUENCE_CONFLICT' })
  const [event] = await session.append(said, { expectedSequence: 2 })
  expect(event?.sequence).toBe(3)
})
