import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { blocks } from './report/blocks.ts'
import { pictures } from './report/pictures.ts'
import { RESULTS, type Results, readResults } from './results.ts'

const docs = fileURLToPath(new URL('../docs/', import.meta.url))

/** Puts figures between the marks of a page: `<!-- bench:NAME -->` … `<!-- /bench:NAME -->`. What has none stays as it is. */
export function filled(page: string, found: ReadonlyMap<string, string>): string {
  return page.replace(
    /(<!-- bench:(\S+) -->)[\s\S]*?(<!-- \/bench:\2 -->)/g,
    (old: string, begin: string, name: string, end: string) => {
      const text = found.get(name)
      return text === undefined ? old : `${begin}\n${text}\n${end}`
    },
  )
}

/** Writes the tables and the pictures of `docs/performance.md`. */
export function report(results: Results): void {
  const page = `${docs}performance.md`
  writeFileSync(page, filled(readFileSync(page, 'utf8'), blocks(results)))
  for (const [file, picture] of pictures(results)) writeFileSync(`${docs}images/${file}`, picture)
  console.log('\nThe tables and pictures of docs/performance.md are written.')
}

if (import.meta.main) report(readResults(process.argv[2] ?? RESULTS))
