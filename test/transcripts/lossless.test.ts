import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ExportedEvent } from '../../src/api.ts'
import type { SessionEvent } from '../../src/domain/event.ts'
import { open, type Throughline } from '../../src/index.ts'
import { claudeCode } from '../../src/transcripts/claude-code/format.ts'
import { Transcript } from '../../src/transcripts/transcript.ts'
import { amount } from '../proof.ts'
import { claudeLine } from './arbitrary-lines.ts'
import { restoreLines } from './original-lines.ts'
import {
  blocksIn,
  CODEX_DATA,
  DATA,
  joinBlocks,
  OWNER,
  readLines,
  readTranscript,
  sessionId,
  withFolder,
} from './transcripts.ts'

const files = [DATA, CODEX_DATA].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => join(folder, file)),
)

describe('nothing is dropped', () => {
  it.each(files.map((path) => [basename(path), path]))('of %s', async (_name, path) => {
    const sessions = await readTranscript(path)
    expect(restoreLines([...sessions.values()].flat())).toEqual(await readLines(path))
  })

  it('of lines that are too large for one event, too long for memory, or nested too deeply', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, `${sessionId(1)}.jsonl`)
      const image = { type: 'image', source: { type: 'base64', data: 'iVBO'.repeat(1_300_000) } }
      const large = { type: 'user', message: { content: [{ type: 'text', text: '🎻'.repeat(700_000) }, image] } }
      const call = { type: 'tool_use', id: 'toolu_1', name: 'Write', input: { content: 'x'.repeat(5_000_000) } }
      const lines = [
        JSON.stringify(large),
        JSON.stringify({ type: 'assistant', message: { content: [call] } }),
        `{"type":"user","deep":${'['.repeat(200)}${']'.repeat(200)}}`,
        `no JSON, and long: ${'🎻\0'.repeat(1_000_000)}`,
        JSON.stringify({ type: 'user', message: { content: 'x'.repeat(9_000_000) } }),
      ]
      await writeFile(path, `${lines.join('\n')}\n`)
      const events = [...(await readTranscript(path, 8_500_000)).values()].flat()
      expect(restoreLines(events)).toEqual(await readLines(path))

      const types = Map.groupBy(events, ({ type }) => type)
      expect([...types.keys()]).toEqual([
        'session_started',
        'user_message',
        'x.claude-code.image',
        'x.claude-code.part',
        'tool_call',
        'x.claude-code.user',
        'x.claude-code.unreadable',
        'x.claude-code.long',
      ])
      expect(types.get('user_message')?.[0]?.content.startsWith('🎻🎻')).toBe(true)
    })
  })

  it('of any transcript, wherever it is split into two imports', async () => {
    const tl = await open('memory:')
    let number = 0
    await fc.assert(
      fc.asyncProperty(fc.array(claudeLine, { maxLength: 12 }), fc.nat(), async (lines, cut) => {
        number += 1
        await withFolder(async (folder) => {
          const path = join(folder, `${sessionId(number)}.jsonl`)
          const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
          await writeFile(path, bytes.subarray(0, cut % (bytes.length + 1)))
          const grown = new Transcript(claudeCode, path, OWNER)
          const first = await blocksIn(grown)
          await taken(tl, new Transcript(claudeCode, path, OWNER))

          await writeFile(path, bytes)
          const whole = await readTranscript(path)
          const inTwo = joinBlocks([...first, ...(await blocksIn(grown))])
          expect(said([...inTwo.values()])).toEqual(said([...whole.values()]))
          await taken(tl, new Transcript(claudeCode, path, OWNER))
          const stored = await Promise.all([...whole.keys()].map((id) => eventsOf(tl, id)))
          expect(restoreLines(stored.flat())).toEqual(await readLines(path))
        })
      }),
      { numRuns: amount(60, 3000) },
    )
    await tl.close()
  })
})

/** Without start time and task, which later lines may set. */
function said(sessions: readonly ExportedEvent[][]): unknown[] {
  const sorted = sessions.toSorted(([a], [b]) => ((a?.id ?? '') < (b?.id ?? '') ? -1 : 1))
  return sorted.map((events) => [events[0]?.id, events.slice(1).map(({ createdAt: _time, ...event }) => event)])
}

async function taken(tl: Throughline, transcript: Transcript): Promise<void> {
  expect((await tl.import(transcript.blocks())).refused).toEqual([])
}

async function eventsOf(tl: Throughline, id: string): Promise<SessionEvent[]> {
  const session = await tl.sessions.get(id)
  return await session.events({ limit: 500 })
}
