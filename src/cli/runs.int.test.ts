import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runInProcess } from '../../test/servers/run-cli.ts'
import type { Throughline } from '../api.ts'
import { open } from '../open/open.ts'
import { formatDuration } from './time-format.ts'

let cwd: string
let tl: Throughline
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'tl-runs-'))
  tl = await open(`sqlite:${cwd}/a.db`)
})
afterEach(async () => {
  await tl.close()
  rmSync(cwd, { recursive: true, force: true })
})

const run = (...args: string[]) => runInProcess(args, cwd, { THROUGHLINE_URL: `sqlite:${cwd}/a.db`, COLUMNS: '120' })

it('runs lists the runs of a session; sessions and show mark a live one; cancel stops it', async () => {
  const session = await tl.sessions.create({ userId: 'ada', task: 'Plan the trip' })
  expect(await run('runs', session.id)).toMatchObject({ code: 0, stdout: 'No runs.\n' })
  const first = await session.run({ worker: 'one' })
  await first.fail(new Error('no\nnetwork \u001b[31m'))
  const second = await session.run({ worker: 'two' })
  const { stdout } = await run('runs', session.id.slice(-8))
  const [head, live, failed] = stdout.split('\n')
  expect(head).toMatch(/^run {2}worker {2}started +took {2}outcome {2}note$/)
  expect(live).toMatch(/^ {2}2 {2}two .* UTC +\d+ m?s {2}live/)
  expect(failed).toMatch(/^ {2}1 {2}one .* failed {3}no network \ufffd\[31m$/)
  const { items } = JSON.parse((await run('runs', session.id, '--json')).stdout)
  expect(items).toEqual(JSON.parse(JSON.stringify(await session.runs())))

  expect((await run('sessions')).stdout).toMatch(/ running \* /)
  expect((await run('show', session.id)).stdout).toMatch(/^run +2 of two, since .* UTC \(just now\)$/m)
  const stopped = new Promise((resolve) => second.signal.addEventListener('abort', resolve))
  expect(await run('cancel', session.id, '--reason', 'too late')).toMatchObject({
    code: 0,
    stdout: 'ok  asked run 2 of two to stop\n',
  })
  await stopped
  expect(second.signal.reason).toMatchObject({ reason: 'cancelled', note: 'too late' })
  expect((await run('show', session.id)).stdout).toMatch(/, asked to stop: too late$/m)
  await second.finish()
  expect(await run('cancel', session.id)).toMatchObject({ code: 0, stdout: 'No live run.\n' })
  expect(JSON.parse((await run('cancel', session.id, '--json')).stdout)).toEqual({ sessionId: session.id })
  expect((await run('runs', '01234567-89ab-4def-8123-456789abcdef')).code).toBe(3)
  expect((await run('cancel', session.id, '--reason', '')).code).toBe(2)
})

it.each([
  [0, '0 ms'],
  [350, '350 ms'],
  [12_000, '12 s'],
  [64_000, '1 min 4 s'],
  [120_000, '2 min'],
  [7_500_000, '2 h 5 min'],
])('a duration of %i ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
