// Prints the precision of the extraction rules on the labelled messages: node precision.ts [tune | held]. For `tune`,
// also the mistakes.
import { MEMORY_CATEGORIES } from '../../../src/domain/memory/memory.ts'
import { type Counts, factsOf, type Part, readLabelled, score } from './labelled.ts'

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
const print = (name: string, cells: readonly string[]) =>
  console.log(name.padEnd(14) + cells.map((cell) => cell.padStart(11)).join(''))
const printCounts = (name: string, { right, found, labelled, precision, recall }: Counts) =>
  print(name, [String(labelled), String(found), String(right), percent(precision), percent(recall)])

const parts: readonly Part[] =
  process.argv[2] === 'tune' ? ['tune'] : process.argv[2] === 'held' ? ['held'] : ['tune', 'held']
for (const part of parts) {
  const rows = readLabelled(part)
  const { all, byCategory, disturbed } = score(rows)
  const empty = rows.filter(({ facts }) => facts.length === 0).length
  console.log(
    `\n${part}: ${rows.length} messages; ${empty} give nothing to remember, and of ${disturbed} of them something was\n`,
  )
  print('', ['labelled', 'found', 'right', 'precision', 'recall'])
  for (const category of MEMORY_CATEGORIES) printCounts(category, byCategory[category])
  printCounts('all', all)
  if (part === 'held') continue
  for (const row of rows.filter((one) => score([one]).all.precision < 1 || score([one]).all.recall < 1)) {
    console.log(
      JSON.stringify({ ...row, found: factsOf(row.message).map(({ category, content }) => [category, content]) }),
    )
  }
}
