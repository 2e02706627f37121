import { expect, it } from 'vitest'
import { parseMetadata } from './metadata-filter.ts'

it('pairs are separated by commas', () => {
  expect(parseMetadata('ticket=CHK-7')).toEqual({ ticket: 'CHK-7' })
  expect(parseMetadata(' team = web , ticket = CHK-7 ')).toEqual({ team: 'web', ticket: 'CHK-7' })
  expect(parseMetadata('cities=Oslo, Rome,url=https://x.example/?a=1')).toEqual({
    cities: 'Oslo, Rome',
    url: 'https://x.example/?a=1',
  })
})

it('values are read as JSON where they are numbers, booleans, null or quoted', () => {
  expect(parseMetadata('a=7,b=true,c=null,d="7",e={"x":1}')).toEqual({ a: 7, b: true, c: null, d: '7', e: '{"x":1}' })
})

it('anything else is no filter', () => {
  for (const text of ['', 'ticket', '=CHK-7', 'ticket=', 'a=1,b=']) expect(parseMetadata(text), text).toBeUndefined()
})
