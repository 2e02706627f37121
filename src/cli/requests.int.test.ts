import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runInProcess } from '../../test/servers/run-cli.ts'
import { open } from '../open/open.ts'

let cwd: string
let id: string
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'tl-requests-'))
  const clock = { now: () => Date.parse('2026-01-31T09:30:00Z') }
  const tl = await open({ url: `sqlite:${cwd}/a.db`, index: false, clock })
  const session = await tl.sessions.create({ userId: 'ada' })
  id = session.id
  await session.request({ id: 'book', kind: 'approval', question: 'Book it?\u001b[2J', schema: { type: 'boolean' } })
  await tl.close()
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const run = (...args: string[]) =>
  runInProcess(['requests', ...args], cwd, { THROUGHLINE_URL: `sqlite:${cwd}/a.db`, COLUMNS: '100' })

describe('throughline requests', () => {
  it('lists the open requests of all sessions, and resolves one', async () => {
    expect((await run('--user', 'ada')).stdout).toBe(
      [
        'Book it?�[2J',
        'request  book',
        'kind     approval',
        `session  ${id}`,
        'user     ada',
        'opened   2026-01-31T09:30:00.000Z',
        'schema   {"type":"boolean"}',
        '',
      ].join('\n'),
    )
    expect((await run('--user', 'bob')).stdout).toBe('No open requests.\n')
    expect((await run(id.slice(-12), '--resolve', 'book', '--value', 'true')).stdout).toBe('Resolved book with true.\n')
    expect((await run()).stdout).toBe('No open requests.\n')
    expect((await run(id)).stdout).toMatch(/^value +true$/m)
    const { items } = JSON.parse((await run(id, '--json')).stdout)
    expect(items).toMatchObject([{ id: 'book', status: 'resolved', value: true }])
  })

  it('refuses a wrong value, a second one, and options that do not fit together', async () => {
    const wrong = await run(id, '--resolve', 'book', '--value', '"yes"')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('value: ')])
    await run(id, '--resolve', 'book', '--value', 'false')
    const again = await run(id, '--resolve', 'book', '--value', 'true')
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('REQUEST_RESOLVED')])
    for (const [field, ...args] of [
      ['value', id, '--resolve', 'book'],
      ['value', id, '--resolve', 'book', '--value', 'yes'],
      ['session', '--resolve', 'book', '--value', 'true'],
      ['resolve', id, '--value', 'true'],
      ['user', id, '--user', 'ada'],
      ['id', id, '--resolve', 'other', '--value', 'true'],
    ] as const) {
      const { code, stderr } = await run(...args)
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${field}: `)])
    }
  })
})
