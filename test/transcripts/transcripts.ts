import { readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExportedEvent, SessionBlock } from '../../src/api.ts'
import { defined } from '../../src/domain/optional.ts'
import { checkedBlock } from '../../src/features/transfer/checked-block.ts'
import { claudeCode } from '../../src/transcripts/claude-code/format.ts'
import { codex } from '../../src/transcripts/codex/format.ts'
import type { TranscriptFormat } from '../../src/transcripts/format.ts'
import { Transcript } from '../../src/transcripts/transcript.ts'
import { type OriginalLine, parseLine } from './original-lines.ts'

export const DATA = fileURLToPath(new URL('../data/claude-code', import.meta.url))
export const CODEX_DATA = fileURLToPath(new URL('../data/codex', import.meta.url))
export const OWNER = { tenant: 'local', userId: 'ada' }

/** Path of a transcript of the tests: those of one variant are numbered. */
export function dataFile(variant: string, number: number): string {
  return join(DATA, variant, `${sessionId(number)}.jsonl`)
}

export function sessionId(number: number): string {
  return `${String(number).padStart(8, '0')}-0000-4000-8000-${String(number).padStart(12, '0')}`
}

/** The events of each session in a file, each block of which a store would take. */
export async function readTranscript(path: string, longest?: number): Promise<Map<string, ExportedEvent[]>> {
  return joinBlocks(await blocksIn(new Transcript(formatOf(path), path, OWNER, defined({ longest }))))
}

/** The format of a file, by its name. */
export function formatOf(path: string): TranscriptFormat {
  return basename(path).startsWith('rollout-') ? codex : claudeCode
}

/** Path of a rollout of the tests: each has a number. */
export function rollout(number: number): string {
  const file = readdirSync(CODEX_DATA, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith(`-${threadId(number)}.jsonl`),
  )
  return join(CODEX_DATA, file ?? '')
}

export function threadId(number: number): string {
  return `019ccccc-${String(number).padStart(4, '0')}-7000-8000-${String(number).padStart(12, '0')}`
}

export async function blocksIn(transcript: Transcript): Promise<SessionBlock[]> {
  const blocks: SessionBlock[] = []
  for await (const block of transcript.blocks()) {
    checkedBlock(block)
    blocks.push(block)
  }
  return blocks
}

export function joinBlocks(blocks: readonly SessionBlock[]): Map<string, ExportedEvent[]> {
  const sessions = Map.groupBy(blocks, ({ sessionId: id }) => id)
  return new Map([...sessions].map(([id, list]) => [id, list.flatMap(({ events }) => events)]))
}

/** What the lines of a file are, read in another way: blank ones and one that is being written left out. */
export async function readLines(path: string): Promise<Map<number, OriginalLine>> {
  const file = await readFile(path)
  const bytes = file.subarray(0, 3).equals(Buffer.from('\u{feff}')) ? file.subarray(3) : file
  const texts = bytes.toString('latin1').split('\n')
  const lines = texts.map((text, i) => ({ number: i + 1, given: parseLine(Buffer.from(text, 'latin1')), text }))
  const isTaken = ({ number, given, text }: (typeof lines)[number]) =>
    /[^ \t\r]/.test(text) && (number < lines.length || ('value' in given && isEntry(given.value)))
  return new Map(lines.filter(isTaken).map(({ number, given }) => [number, given]))
}

const isEntry = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Gives a folder, which is removed afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tl-transcripts-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
