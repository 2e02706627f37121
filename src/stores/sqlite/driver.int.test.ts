import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { knownProgram } from './driver.ts'

const isKnown = process.platform === 'linux' && !existsSync('/lib/ld-musl-x86_64.so.1') && process.arch === 'x64'

describe('the program of the driver', () => {
  const itIfKnown = isKnown ? it : () => {}
  itIfKnown('is the one that the driver would have taken, found without a report on the process', () => {
    const report = vi.spyOn(process.report, 'getReport')
    const { nativeBinding } = knownProgram()
    const db = new Database(':memory:', nativeBinding === undefined ? {} : { nativeBinding })
    expect(db.prepare('select 40 + 2').pluck().get()).toBe(42)
    db.close()
    expect(nativeBinding).toMatch(/linux-x64\.node$/)
    expect(report).not.toHaveBeenCalled()
    report.mockRestore()
  })

  it.each([
    ['has it elsewhere', () => 'file:///nowhere/lib/index.js'],
    ['is nowhere', () => 'data:text/javascript,'],
    [
      'cannot be found',
      () => {
        throw new TypeError('import.meta.resolve is not a function')
      },
    ],
  ])('is left to a driver that %s', (_, place) => {
    expect(knownProgram(place)).toEqual({})
  })
})
