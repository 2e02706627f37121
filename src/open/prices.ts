import { readFile } from 'node:fs/promises'
import { ValidationError } from '../domain/errors.ts'
import type { Prices } from '../domain/price.ts'
import { parse } from '../features/kernel/parse.ts'
import { pricesInput } from './options.ts'

/** Prices from a JSON file: that of the option, else that of `THROUGHLINE_PRICES`; `undefined` if neither names one. */
export async function pricesFrom(file?: string): Promise<Prices | undefined> {
  const [path, field] = file === undefined ? [process.env[SETTING], SETTING] : [file, 'prices']
  return path === undefined || path === '' ? undefined : await readPrices(path, field)
}

const SETTING = 'THROUGHLINE_PRICES'

async function readPrices(path: string, field: string): Promise<Prices> {
  const content = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new ValidationError(field, `cannot be read: ${cause.message}`, { cause })
  })
  return parse(pricesInput, jsonIn(content, field), field) as Prices
}

function jsonIn(content: string, field: string): unknown {
  try {
    return JSON.parse(content)
  } catch (cause) {
    throw new ValidationError(field, 'must be a file of JSON such as {"gpt-5": {"input": 1.25, "output": 10}}', {
      cause,
    })
  }
}
