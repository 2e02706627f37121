import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runInProcess } from '../servers/run-cli.ts'
import { temporaryFolder } from '../servers/test-run.ts'
import { DATA, dataFile, sessionId } from './transcripts.ts'

let folder: ReturnType<typeof temporaryFolder>

beforeEach(() => {
  folder = temporaryFolder('tl-transcripts-')
})

afterEach(() => folder.remove())

const run = (...args: string[]) => runInProcess(args, folder.path)

it('imports a folder of transcripts into a new store, and shows what is in it', async () => {
  const from = ['import', '--from', 'claude-code', '--user', 'ada']
  const first = await run('--json', ...from, DATA)
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(first.stdout)).toMatchObject({ files: 20, sessions: 22, created: 22, refused: [], skipped: [] })

  const again = await run(...from, join(DATA, 'plain'), join(folder.path, 'missing'))
  expect(again.code).toBe(4)
  expect(again.stdout).toMatch(/^unchanged +1$/m)
  expect(again.stdout).toMatch(/missing.*UNREADABLE.*cannot be read/)

  expect((await run('show', sessionId(1))).stdout).toContain('Why does the parser lose the last line?')
  expect(await run('verify')).toMatchObject({ code: 0 })
  expect((await run('sessions', '--user', 'ada')).stdout).toContain('Ask two helpers.')

  const other = await run('--json', 'import', '--from', 'claude-code', '--user', 'grace', dataFile('plain', 1))
  expect(other.code).toBe(4)
  expect(JSON.parse(other.stdout)).toMatchObject({ refused: [{ code: 'IMPORT_CONFLICT', sessionId: sessionId(1) }] })

  expect(await run('import', '--from', 'claude-code')).toMatchObject({ code: 2, stdout: '' })
})
