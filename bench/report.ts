import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { makeBlocks } from './report/blocks.ts'
import { makeCharts } from './report/charts.ts'
import { RESULTS, type Results, readResults } from './results.ts'

const docs = fileURLToPath(new URL('../docs/', import.meta.url))

/** Fills the blocks `<!-- bench:NAME -->` … `<!-- /bench:NAME -->` of a page. Blocks without figures stay unchanged. */
export function fillBlocks(page: string, found: ReadonlyMap<string, string>): string {
  return page.replace(
    /(<!-- bench:(\S+) -->)[\s\S]*?(<!-- \/bench:\2 -->)/g,
    (old: string, begin: string, name: string, end: string) => {
      const text = found.get(name)
      return text === undefined ? old : `${begin}\n${text}\n${end}`
    },
  )
}

/** Writes the tables and charts of `docs/performance.md`. */
export function writeReport(results: Results): void {
  const page = `${docs}performance.md`
  writeFileSync(page, fillBlocks(readFileSync(page, 'utf8'), makeBlocks(results)))
  for (const [file, picture] of makeCharts(results)) writeFileSync(`${docs}images/${file}`, picture)
  console.log('\nThe tables and pictures of docs/performance.md are written.')
}

if (import.meta.main) writeReport(readResults(process.argv[2] ?? RESULTS))
