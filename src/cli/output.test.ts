import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { applyStyle } from './output.ts'
import { toSafeJson } from './text.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

it('NO_COLOR wins over FORCE_COLOR, unless it is empty', () => {
  vi.stubEnv('FORCE_COLOR', '1')
  vi.stubEnv('NO_COLOR', '1')
  expect(applyStyle('red', 'text', process.stdout)).toBe('text')
  vi.stubEnv('NO_COLOR', '')
  expect(applyStyle('red', 'text', process.stdout)).toBe('\x1b[31mtext\x1b[39m')
})

it('Node prints no warning if both are set', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tl-output-'))
  try {
    for (const name of ['bin', 'dist/cli']) mkdirSync(join(folder, name), { recursive: true })
    copyFileSync(new URL('../../bin/throughline.js', import.meta.url), join(folder, 'bin/throughline.js'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    // what the drivers load makes Node look at colours
    writeFileSync(
      join(folder, 'dist/cli/main.js'),
      "import 'node:assert'; export const main = () => console.log('ran')",
    )
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '1' }
    const { stdout, stderr } = spawnSync(process.execPath, ['bin/throughline.js'], {
      cwd: folder,
      env,
      timeout: 10_000,
    })
    expect([String(stdout), String(stderr)]).toEqual(['ran\n', ''])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('JSON has no unsafe characters and parses to the same value', () => {
  const value = { '\u009b2J': 'a\u007f\u202eb\u200e\u{e0041}\u{e007f} 日本 👩‍💻 é' }
  const text = toSafeJson(value)
  expect(text).toBe('{"\\u009b2J":"a\\u007f\\u202eb\\u200e\\udb40\\udc41\\udb40\\udc7f 日本 👩‍💻 é"}')
  expect(JSON.parse(text)).toEqual(value)
})
