import { open, type Throughline } from '../dist/index.js'
import { CATEGORIES, locomoFile, readLocomo } from './memory/locomo.ts'
import { type AnsweredQuestion, ingest, MEASURES, runQuestions, sumScores } from './memory/measure.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

/** Conversations for tuning weights; the rest are only measured. */
const TUNING = 5
const STORES = ['memory', 'sqlite', 'postgres'] as const
const TITLES = { r5: 'R@5', r10: 'R@10', ndcg10: 'nDCG@10', r2000: 'R@2000' }

const file = locomoFile()
if (file === undefined) {
  console.log(
    'There is no data set to measure on: put locomo10.json into ../shared/data, or its path into LOCOMO_FILE.',
  )
} else {
  const places = createWorkspace()
  try {
    await measure(file, places)
  } finally {
    await places.close()
  }
}

async function measure(path: string, places: Workspace): Promise<void> {
  const conversations = readLocomo(path)
  const answers = new Map<string, AnsweredQuestion[][]>()
  for (const store of STORES) {
    const tl = await opened(store, places)
    const all: AnsweredQuestion[][] = []
    for (const conversation of conversations) {
      all.push(await runQuestions(tl, conversation, await ingest(tl, conversation)))
    }
    await tl.close()
    answers.set(store, all)
    const same = JSON.stringify(all) === JSON.stringify(answers.get('memory'))
    console.log(
      `${store}: ${all.flat().length} questions${store === 'memory' ? '' : same ? ', the same lists' : ', OTHER LISTS'}`,
    )
    if (!same) process.exitCode = 1
  }
  const all = answers.get('memory') ?? []
  print(`Conversations 1 to ${TUNING}, on which weights were fitted`, all.slice(0, TUNING).flat())
  print(`Conversations ${TUNING + 1} to ${all.length}, held out`, all.slice(TUNING).flat())
  print('All', all.flat())
}

async function opened(store: (typeof STORES)[number], places: Workspace): Promise<Throughline> {
  if (store === 'memory') return await open('memory:')
  if (store === 'sqlite') return await open(`sqlite:${places.file()}`)
  return await open({ url: await (await places.postgres()).served() })
}

function print(title: string, answered: readonly AnsweredQuestion[]): void {
  const sums = sumScores(answered)
  const columns: [number, string][] = [[0, 'all'], ...CATEGORIES]
  console.log(`\n${title}`)
  console.table(
    Object.fromEntries(
      MEASURES.map((measure) => [
        TITLES[measure],
        Object.fromEntries(
          columns.map(([category, name]) => {
            const sum = sums.get(category)
            return [name, sum === undefined ? '' : ((100 * sum[measure]) / sum.count).toFixed(1)]
          }),
        ),
      ]),
    ),
  )
}
