import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const examples = readdirSync(join(root, 'examples')).filter((file) => file.endsWith('.ts'))

/** What each example prints, or the main part of it. */
const PRINTS: Record<string, string> = {
  'quickstart.ts': '3 assistant: There is one at 21:40. Shall I book it?',
  'agent-loop.ts': '9 model_message: In Vienna it is sunny, 24 degrees.\n10 run_finished',
  'many-writers.ts': 'written\nrefused: SEQUENCE_CONFLICT\nsent twice, written once: 103 = 103',
  'envelope.ts':
    '{"metadata":{"channel":"web","locale":"en"},"analysis":{"intent":"book_train","sentiment":"calm","tags":["travel"]}}\nmetadata.tenant: is a field of the envelope itself; use another key',
  'follow.ts': '2 user_message: first\n3 user_message: second\n4 user_message: third',
  'formats.ts':
    'the same for Anthropic: true\nfor OpenAI: user\nfor OpenAI: assistant\nfor OpenAI: tool\nfor OpenAI: tool',
  'handoff.ts': '1 of 3 takers got the handoff\nengineer acts now: The design is ready',
  'life.ts': 'events 1 to 13 are those of the commit: true\nthe context of the next session has 3 messages, 73 tokens',
  'memory.ts':
    'event 3: It leaves at 21:40 from platform 7.\nI prefer the window seat, confidence 0.7, from event 2\n0.78, then 0.39,',
  'server.ts':
    'ada sees a session of ada\nbob sees a session of bob\nfor bob that of ada is SESSION_NOT_FOUND\n2 user: Find me a night train to Vienna.\n3 assistant: There is one at 21:40. Shall I book it?',
  'service.ts':
    'goalArchitect, after 1 message\n{"success":false,"error":{"code":"NOT_FOUND","message":"Session not found"}}',
  'usage.ts': 'this turn: 12500 tokens in, $0.0127\nin total: 24500 tokens in, $0.015\nlarge-1: 1 call, $0.0127',
  'worker-pool.ts': '12 sessions are finished, 4 workers were killed\n60 steps were recorded, 60 different ones',
  'time-travel.ts': '0 differences between the logs and the stored views',
}

describe('the examples', () => {
  it('are all listed here', () => {
    expect(examples.sort()).toEqual(Object.keys(PRINTS).sort())
  })

  it.each(examples)('%s runs and prints the expected output', async (file) => {
    const folder = await mkdtemp(join(tmpdir(), 'throughline-'))
    try {
      const { stdout, stderr } = await run(process.execPath, [join(root, 'examples', file)], { cwd: folder })
      expect(stdout).toContain(PRINTS[file])
      expect(stderr).toBe('')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
