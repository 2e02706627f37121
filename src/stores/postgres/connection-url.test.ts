import { expect, it } from 'vitest'
import { settingsOf } from './connection-url.ts'

it.each([
  ['postgres://localhost/db', ['postgres://localhost/db']],
  ['postgres://u:p%40,x@a:5432/db?sslmode=require', ['postgres://u:p%40,x@a:5432/db?sslmode=require']],
  [
    'postgresql://u@a:5432,b,[::1]:5433/db?pool=2',
    ['postgresql://u@a:5432/db', 'postgresql://u@b/db', 'postgresql://u@[::1]:5433/db'],
  ],
  ['postgres://a,b', ['postgres://a', 'postgres://b']],
  [
    'postgres://a,b/db?sslmode=require&timeout=9',
    ['postgres://a/db?sslmode=require', 'postgres://b/db?sslmode=require'],
  ],
  ['postgres:///db?host=%2Frun%2Fpostgres', ['postgres:///db?host=%2Frun%2Fpostgres']],
])('names the hosts of %s', (url, hosts) => {
  expect(settingsOf(url).hosts).toEqual(hosts)
})
