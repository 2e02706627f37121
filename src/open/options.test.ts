import { describe, expect, it } from 'vitest'
import { checkedOptions, type OpenOptions } from './options.ts'

/** An option that only the schema judges. */
const judged = { policy: {} }

describe('the options of open()', () => {
  it.each<OpenOptions>([
    {},
    { url: 'memory:' },
    { url: 'sqlite:a.db', durability: 'relaxed', migrate: false },
    { index: false, envelopes: true },
    { durability: undefined, url: undefined } as object,
  ])('are the same whether the schema looks at them or not: %j', (given) => {
    expect(checkedOptions(given)).toEqual(checkedOptions({ ...given, ...judged }))
  })

  it.each<[unknown, string]>([
    [{ url: '' }, 'url'],
    [{ durability: 'some' }, 'durability'],
    [{ migrate: 'no' }, 'migrate'],
    [{ prices: { m: { input: 1 } } }, 'prices.m.output'],
    [{ prices: { m: { input: 1, output: Number.NaN } } }, 'prices.m.output'],
    [{ toString: () => 'memory:' }, 'toString'],
    [[], 'input'],
    [null, 'input'],
  ])('are refused by the name of the field: %j', (given, field) => {
    expect(() => checkedOptions(given as OpenOptions)).toThrow(expect.objectContaining({ code: 'VALIDATION', field }))
  })

  it('are read from objects of a class too', () => {
    class Settings {
      get durability() {
        return 'relaxed' as const
      }
    }
    expect(checkedOptions(new Settings())).toMatchObject({ durability: 'relaxed' })
  })
})
