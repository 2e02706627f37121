import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findFiles } from '../../src/cli/transcripts/find-files.ts'
import { TranscriptImporter } from '../../src/cli/transcripts/transcript-importer.ts'
import { open, type SessionEvent, type Throughline } from '../../src/index.ts'
import { amount } from '../proof.ts'
import { claudeLine, codexLine } from './arbitrary-lines.ts'
import { restoreLines } from './original-lines.ts'
import { formatOf, OWNER, readLines, readTranscript, sessionId, threadId, withFolder } from './transcripts.ts'

const CENTURY = 100 * 365 * 86_400_000

/** All events of the sessions that came from a file, in the order of its sessions. */
async function importedEvents(tl: Throughline, file: string): Promise<SessionEvent[]> {
  const { items } = await tl.sessions.list({ userId: OWNER.userId, limit: 500, metadata: { file } })
  const after = new Map(items.map(({ id, metadata }) => [metadata['continues'], id]))
  const starts = items.filter(({ metadata }) => metadata['continues'] === undefined)
  const events: SessionEvent[] = []
  for (const { id: first } of starts) {
    for (let id: string | undefined = first; id !== undefined; id = after.get(id)) {
      events.push(...(await (await tl.sessions.get(id)).events({ limit: 500 })))
    }
  }
  return events.filter(({ parts }) => (parts as { line?: number } | undefined)?.line !== undefined)
}

it.each([
  ['claude-code', claudeLine, (n: number) => `${sessionId(n)}.jsonl`],
  ['codex', codexLine, (n: number) => `rollout-2026-03-02T09-00-00-${threadId(n)}.jsonl`],
])(
  'a %s transcript that grows, wherever it is cut and whenever its sessions end, is imported once',
  async (_format, line, nameOf) => {
    let number = 0
    const step = fc.record({ cut: fc.nat(), isQuiet: fc.boolean(), end: fc.constantFrom('no', 'abort', 'end') })
    const stores = [await open('memory:'), await open({ url: 'memory:', policy: { staleTimeoutMs: CENTURY } })] as const
    let continued = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 10 }),
        fc.array(step, { maxLength: 4 }),
        fc.boolean(),
        fc.boolean(),
        async (lines, steps, goesStale, remembers) => {
          number += 1
          const tl = stores[goesStale ? 0 : 1]
          await withFolder(async (folder) => {
            const name = nameOf(number)
            const path = join(folder, name)
            const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
            const kept = new TranscriptImporter(tl, formatOf(path), OWNER, true)
            const take = async (end: number, isQuiet: boolean) => {
              await writeFile(path, bytes.subarray(0, end))
              if (isQuiet) await utimes(path, new Date(), new Date(Date.now() - 3_600_000))
              const importer = remembers ? kept : new TranscriptImporter(tl, formatOf(path), OWNER, false)
              const report = await importer.importFiles((await findFiles([path])).files)
              expect(report.refused.filter(({ code }) => code !== 'NO_TRANSCRIPT')).toEqual([])
              return report
            }
            const sorted = steps.toSorted((a, b) => (a.cut % (bytes.length + 1)) - (b.cut % (bytes.length + 1)))
            for (const { cut, isQuiet, end } of sorted) {
              await take(cut % (bytes.length + 1), isQuiet)
              const { items } = await tl.sessions.list({ userId: OWNER.userId, limit: 500, metadata: { file: name } })
              for (const { id } of items) {
                const session = await tl.sessions.get(id)
                // sub-agents end with their session
                if (end === 'no' || (await session.record()).endedAt !== undefined) continue
                await (end === 'end' ? session.end() : session.abort('enough'))
              }
            }
            const { skipped, refused } = await take(bytes.length, true)
            if (skipped.length + refused.length > 0) return
            expect(await take(bytes.length, true)).toMatchObject({ created: 0, extended: 0, events: 0, ended: 0 })
            const events = await importedEvents(tl, name)
            const whole = [...(await readTranscript(path)).values()].flat()
            expect(events).toHaveLength(whole.length - new Set(whole.filter(isStart)).size)
            expect(restoreLines(events)).toEqual(await readLines(path))
            const { items } = await tl.sessions.list({ userId: OWNER.userId, limit: 500, metadata: { file: name } })
            const { sessions } = await new TranscriptImporter(tl, formatOf(path), OWNER, false).importFiles(
              (await findFiles([path])).files,
            )
            expect(sessions).toBe(items.length)
            continued += items.filter(({ metadata }) => metadata['continues'] !== undefined).length
          })
        },
      ),
      { numRuns: amount(60, 300) },
    )
    expect(continued).toBeGreaterThan(5)
    for (const tl of stores) {
      expect((await tl.verify()).differences).toEqual([])
      await tl.close()
    }
  },
  amount(60_000, 600_000),
)

it('a line behind the end of its session that waits for its usage is not refused', async () => {
  const at = { timestamp: '2026-03-02T09:00:00.000Z' }
  const lines = [
    { ...at, type: 'response_item', payload: { type: 'function_call', name: 'a', call_id: 'c', arguments: '' } },
    { ...at, type: 'inter_agent_communication', payload: { message: 'm' } },
    { ...at, type: 'local_shell_call', action: {} },
  ].map((line) => `${JSON.stringify(line)}\n`)
  const tl = await open('memory:')
  await withFolder(async (folder) => {
    const path = join(folder, `rollout-2026-03-02T09-00-00-${threadId(1)}.jsonl`)
    const importer = new TranscriptImporter(tl, formatOf(path), OWNER, true)
    const take = async (text: string, isQuiet: boolean) => {
      await writeFile(path, text)
      if (isQuiet) await utimes(path, new Date(), new Date(Date.now() - 3_600_000))
      return await importer.importFiles((await findFiles([path])).files)
    }
    const [first = '', second = ''] = lines
    expect(await take(first, true)).toMatchObject({ created: 1, ended: 1 })
    expect(await take(first + second, false)).toMatchObject({ refused: [], waiting: [path] })
    expect(await take(lines.join(''), true)).toMatchObject({ refused: [], created: 1, events: 3 })
  })
  await tl.close()
})

const isStart = ({ type }: { type: string }) => type === 'session_started'
