import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { ImportReport } from '../../src/cli/memory/import-report.ts'
import { type Memory, open } from '../../src/index.ts'
import { amount, printFigure, withDatabaseFile } from '../proof.ts'
import type { ImportJob } from './import-child.ts'

const CHILD = fileURLToPath(new URL('./import-child.ts', import.meta.url))
const DOCUMENTS = amount(500, 50_000)
const BATCH = amount(20, 500)
const KILLS = amount(1, 5)
const DIMENSIONS = 768
/** Heap of the child in MB; the file of the long form has some 500. */
const HEAP = 96
const NODE = [`--max-old-space-size=${HEAP}`, '--max-semi-space-size=4']
const MB = 1024 * 1024

const WORDS = 'build test retry deploy prefers tabs spaces service port team review branch release cache index'.split(
  ' ',
)
/** As many digits as a float of 32 bits has. */
const COORDINATES = Array.from({ length: 4099 }, (_, i) => (Math.sin(i + 1) / 7).toFixed(10))

const word = (n: number) => WORDS[n % WORDS.length] as string

/** A word that no other document has. */
const ownWord = (n: number) => `thing${n}x`

const THREE = [1, Math.floor(DOCUMENTS / 2), DOCUMENTS]

/** The n-th document of the export, from 1, as a line of JSON. */
function line(n: number): string {
  const at = (n * 31) % (COORDINATES.length - DIMENSIONS)
  const text = Array.from({ length: 20 }, (_, i) => word(n * 7 + i * (1 + (n % 5)))).join(' ')
  const metadata = JSON.stringify({ area: word(n), timestamp: `2025-01-${10 + (n % 20)}`, page: n })
  return (
    `{"id":"doc-${n}","page_content":"The ${ownWord(n)} of ${n}: ${text}.","metadata":${metadata},` +
    `"embedding":[${COORDINATES.slice(at, at + DIMENSIONS).join(',')}],"score":${n / DOCUMENTS},"retriever_hints":{"k":${n % 7}}}\n`
  )
}

/** Lines that cannot be taken, by the document that they stand behind, and the field that is to blame. */
const WRONG: Record<number, readonly [line: string, field: string]> = {
  3: ['{"id": "cut", "page_content": "\n', 'document'],
  57: ['{"id": "empty", "page_content": " "}\n', 'page_content'],
  130: ['{"id": "odd", "page_content": "x", "category": "things"}\n', 'category'],
  131: ['{"id": "vague", "page_content": "x", "embedding": ["1"]}\n', 'embedding'],
  400: ['{"id": "doc-7", "page_content": "Something else"}\n', 'id'],
}
const REFUSED = Object.keys(WRONG).length

function* lines(): Generator<string> {
  for (let n = 1; n <= DOCUMENTS; n++) {
    yield line(n)
    const [wrong] = WRONG[n] ?? []
    if (wrong !== undefined) yield wrong
  }
}

interface Ended {
  code: unknown
  report: ImportReport
  statements: number
}

/** Runs the command in a process of its own, of little memory. Gives nothing if it was killed on the way. */
function imported(file: string, db: string, args: readonly string[] = [], at?: number): Promise<Ended | undefined> {
  const command = ['memory', 'import', file, '--user', 'ada', '--batch', `${BATCH}`, '--url', `sqlite:${db}`, '--json']
  const job: ImportJob = { args: [...command, ...args], ...(at !== undefined && { at }) }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...NODE, CHILD, JSON.stringify(job)], (error, stdout, stderr) => {
      if (error?.signal === 'SIGKILL') return resolve(undefined)
      if (stderr !== '') return reject(new Error(stderr))
      const [report, counted] = stdout
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text))
      resolve({ code: error?.code ?? 0, report, statements: counted.statements })
    })
  })
}

async function made(db: string): Promise<string> {
  await (await open(`sqlite:${db}`)).close()
  return db
}

/** Every memory of a store, without when it was made: how many there are, and a hash of all of them. */
async function memoriesOf(db: string): Promise<{ count: number; hash: string }> {
  const tl = await open(`sqlite:${db}`)
  const hash = createHash('sha256')
  let count = 0
  for (let cursor: string | undefined; ; ) {
    const page = await tl.memories.list({ userId: 'ada', limit: 500, ...(cursor !== undefined && { cursor }) })
    for (const memory of page.items) {
      hash.update(JSON.stringify(timeless(memory)))
      if (count++ % 50 === 0) expect(await tl.memories.history(memory.id)).toMatchObject([{ version: 1 }])
    }
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  await tl.close()
  return { count, hash: hash.digest('hex') }
}

/** Documents of a whole import that their own word finds, out of three. */
async function foundIn(db: string): Promise<unknown[]> {
  const tl = await open(`sqlite:${db}`)
  const found: unknown[] = []
  for (const n of THREE) {
    const { items } = await tl.memories.search({ userId: 'ada', query: ownWord(n), record: false })
    found.push(...items.map(({ metadata }) => metadata?.['id']).filter((id) => id === `doc-${n}`))
  }
  await tl.close()
  return found
}

function timeless({ createdAt: _, lineage, ...rest }: Memory): unknown {
  return { ...rest, lineage: lineage.map(({ at: _at, ...entry }) => entry) }
}

it('imports a large export in little memory, and after kill -9 what was left out, nothing twice', {
  timeout: 3_600_000,
}, async () => {
  await withDatabaseFile(async (path) => {
    const file = path.replace(/[^/]*$/, 'faiss.jsonl')
    await pipeline(lines, createWriteStream(file))
    const total = { read: DOCUMENTS + REFUSED, refused: REFUSED }

    const whole = await made(`${path}-whole`)
    const dry = await imported(file, whole, ['--dry-run'])
    expect(dry).toMatchObject({ code: 2, report: { ...total, created: DOCUMENTS, unchanged: 0, dryRun: true } })
    const fields = Object.values(WRONG).map(([, field]) => field)
    expect(dry?.report.refusals.map(({ field }) => field)).toEqual(fields)
    expect((await memoriesOf(whole)).count).toBe(0)

    const undisturbed = await imported(file, whole)
    expect(undisturbed).toMatchObject({
      code: 2,
      report: { ...total, created: DOCUMENTS, unchanged: 0, dryRun: false },
    })
    expect(undisturbed?.report.refusals).toEqual(dry?.report.refusals)
    const expected = await memoriesOf(whole)
    expect(expected.count).toBe(DOCUMENTS)

    const broken = await made(`${path}-broken`)
    const { statements = 0, report } = undisturbed ?? {}
    let before = 0
    for (let kill = 1; kill <= KILLS; kill++) {
      // what is there already takes hardly any statements: each gets further, and none to the end
      const at = Math.floor((statements * (0.5 + 0.4 * Math.random())) / (KILLS + 1))
      expect(await imported(file, broken, [], at)).toBeUndefined()
      const { count } = await memoriesOf(broken)
      expect(count).toBeGreaterThan(before)
      before = count
    }
    const resumed = await imported(file, broken)
    const rest = { created: DOCUMENTS - before, unchanged: before }
    expect(resumed).toMatchObject({ code: 2, report: { ...total, ...rest } })
    expect(rest.created).toBeGreaterThan(0)
    expect(await memoriesOf(broken)).toEqual(expected)
    for (const db of [whole, broken]) expect(await foundIn(db)).toEqual(THREE.map((n) => `doc-${n}`))

    const again = await imported(file, broken)
    expect(again).toMatchObject({ code: 2, report: { ...total, created: 0, unchanged: DOCUMENTS } })

    const size = Math.round((await stat(file)).size / MB)
    const rate = Math.round(DOCUMENTS / (report?.seconds ?? 1)).toLocaleString('en')
    printFigure(
      `import of ${DOCUMENTS.toLocaleString('en')} documents (${size} MB) in a heap of ${HEAP} MB: ` +
        `dry run ${dry?.report.seconds} s, import ${report?.seconds} s (${rate} a second)`,
    )
    printFigure(
      `${KILLS} × kill -9: ${before.toLocaleString('en')} were in, the rest came with the next run, none twice`,
    )
  })
})
