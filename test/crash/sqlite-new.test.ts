import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { uuid7 } from '../../src/ids.ts'
import { sqliteStore } from '../../src/stores/sqlite/index.ts'
import { makeTemplate } from '../../src/stores/sqlite/make-template.ts'
import { amount, printFigure, withDatabaseFile } from '../proof.ts'

const KILLS = amount(4, 100)

it('is complete or absent, whenever its creator is killed', { timeout: 600_000 }, async () => {
  await withDatabaseFile(async (blank) => {
    await makeTemplate(blank)
    const folder = dirname(blank)
    let files = 0
    for (let kill = 1; kill <= KILLS; kill++) {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'sqlite-new-child.ts'), folder, blank])
      await once(child.stdout, 'data')
      await delay(Math.random() * 20)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const made = (await readdir(folder)).filter((name) => name.startsWith(`${child.pid}-`))
      for (const name of made.filter((name) => name.endsWith('.db'))) {
        const path = join(folder, name)
        const db = new Database(path)
        expect(db.pragma('integrity_check', { simple: true }), name).toBe('ok')
        db.close()
        // without migration, open() refuses a file without the schema
        await (await sqliteStore({ path, durability: 'full', migrate: false, newId: uuid7 })).close()
        files++
      }
      for (const name of made) await rm(join(folder, name), { force: true })
    }
    expect(files).toBeGreaterThan(KILLS)
    printFigure(`${KILLS} × kill -9 while files were made: ${files} files, all whole`)
  })
})
