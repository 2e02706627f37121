import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { open } from './open.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

describe('open()', () => {
  it('takes the URL it is given, else that of the environment', async () => {
    vi.stubEnv('THROUGHLINE_URL', `sqlite:${join(folder, 'sessions.db')}`)
    const memory = await open({ url: 'memory:' })
    expect((await memory.health()).store).toBe('memory')
    expect(existsSync(join(folder, 'sessions.db'))).toBe(false)
    const file = await open()
    expect((await file.health()).details['file']).toBe(join(folder, 'sessions.db'))
    await Promise.all([memory.close(), file.close()])
  })

  it.each<[what: string, options: object, field: string]>([
    ['an empty URL', { url: '' }, 'url'],
    ['a store there is not', { url: 'mysql://host/db' }, 'url'],
    ['an unknown durability', { url: 'memory:', durability: 'some' }, 'durability'],
    ['an agent without a name', { url: 'memory:', agents: ['coach', ''] }, 'agents[1]'],
    ['a tokenizer that cannot count', { url: 'memory:', tokenizer: { name: 'none' } }, 'tokenizer'],
    ['a clock that cannot tell', { url: 'memory:', clock: {} }, 'clock'],
    ['a misspelt option', { url: 'memory:', durabilty: 'full' }, 'durabilty'],
  ])('refuses %s', async (_, options, field) => {
    await expect(open(options)).rejects.toMatchObject({ code: 'VALIDATION', field })
  })

  it('closes when what it had accepted is written', async () => {
    const tl = await open(`sqlite:${join(folder, 'sessions.db')}`)
    const session = await tl.sessions.create({ userId: 'ada' })
    let written = false
    const writing = session.append({ type: 'user_message', content: 'last words' }).then(() => {
      written = true
    })
    await tl.close()
    expect(written).toBe(true)
    await writing
  })

  it('counts by the tokenizer it is told', async () => {
    const tokens = async (tokenizer: 'exact' | 'estimate' | { name: string; count(): number }) => {
      const tl = await open({ url: 'memory:', tokenizer })
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append({ type: 'user_message', content: 'hello hello hello' })
      const window = await session.recent({ maxTokens: 100 })
      await tl.close()
      return window.tokens
    }
    expect(await tokens('exact')).toBe(3)
    expect(await tokens({ name: 'mine', count: () => 77 })).toBe(77)
    expect(await tokens('estimate')).not.toBe(3)
  })
})
