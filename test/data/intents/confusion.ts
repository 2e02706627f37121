// Prints the confusion matrix of the rule classifier on the labelled messages: node confusion.ts [held | tune]
import { MESSAGE_INTENTS } from '../../../src/domain/classify.ts'
import { type Part, readLabelled, score } from './labelled.ts'

const part: Part = process.argv[2] === 'tune' ? 'tune' : 'held'
const rows = readLabelled(part)
const { table, accuracy, precision, recall } = score(rows)
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

const heads = ['label \\ given', ...MESSAGE_INTENTS, 'precision', 'recall']
const lines = MESSAGE_INTENTS.map((label) => [
  label,
  ...MESSAGE_INTENTS.map((given) => String(table[label][given])),
  percent(precision[label]),
  percent(recall[label]),
])
const print = ([first = '', ...rest]: string[]) =>
  console.log(first.padEnd(14) + rest.map((cell) => cell.padStart(13)).join(''))

console.log(`${part}: ${rows.length} messages, accuracy ${percent(accuracy)}\n`)
for (const line of [heads, ...lines]) print(line)
