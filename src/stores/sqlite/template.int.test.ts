import { chmod, copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import { sqliteStore } from './index.ts'
import { makeTemplate } from './make-template.ts'

let folder: string
let template: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  template = join(folder, 'template.db')
  path = join(folder, 'sessions.db')
  await makeTemplate(template)
})
afterEach(() => rm(folder, { recursive: true }))

const opened = async (of: Partial<Parameters<typeof sqliteStore>[0]> = {}) =>
  openOn(await sqliteStore({ path, durability: 'full', migrate: true, newId: uuid7, template, ...of }))

/** All that a database is made of, and what its ledger says. */
function contents(file: string) {
  const db = new Database(file)
  try {
    return {
      schema: db.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all(),
      ledger: db.prepare('select version, name, checksum from throughline_migrations order by version').all(),
      dates: db.prepare('select distinct applied_at from throughline_migrations').pluck().all() as string[],
      settings: db.prepare('select * from memories_fts_config order by k').all(),
      journal: db.pragma('journal_mode', { simple: true }),
      integrity: db.pragma('integrity_check', { simple: true }),
    }
  } finally {
    db.close()
  }
}

describe('a new file from the template', () => {
  it('equals a migrated file, with the current time', async () => {
    const before = new Date().toISOString()
    await (await opened()).close()
    const { dates, ...copy } = contents(path)
    const migrated = join(folder, 'migrated.db')
    await (await opened({ path: migrated, template: join(folder, 'none.db') })).close()
    const { dates: _, ...made } = contents(migrated)
    expect(copy).toEqual(made)
    expect(copy).toMatchObject({ journal: 'wal', integrity: 'ok' })
    expect(dates).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)])
    expect(dates[0] !== undefined && dates[0] >= before).toBe(true)
  })

  it('is a copy of the template, without leftover files', async () => {
    await rm(template)
    const db = new Database(template)
    db.exec(
      'create table throughline_migrations (version integer, name text, checksum text); create table mark (of text)',
    )
    db.prepare('insert into throughline_migrations values (1000, ?, ?)').run('1000_mark', '')
    db.close()
    await expect(opened()).rejects.toMatchObject({ code: 'SCHEMA_NEWER' })
    expect((await readdir(folder)).sort()).toEqual(['sessions.db', 'template.db'])
  })

  it('never replaces an existing file', async () => {
    await writeFile(path, 'mine')
    await expect(opened()).rejects.toMatchObject({ code: 'STORAGE' })
    expect(await readFile(path, 'utf8')).toBe('mine')
    await rm(path)
    await writeFile(path, '')
    const tl = await opened()
    await tl.sessions.create({ userId: 'ada' })
    await tl.close()
  })

  it('ignores a leftover log of another file', async () => {
    const first = await opened()
    await first.sessions.create({ userId: 'ada' })
    await copyFile(`${path}-wal`, join(folder, 'left'))
    await first.close()
    await rm(path)
    await copyFile(join(folder, 'left'), `${path}-wal`)
    const tl = await opened()
    expect((await tl.sessions.list()).items).toEqual([])
    await tl.close()
    expect(contents(path).integrity).toBe('ok')
  })

  it('is not created at paths that the driver interprets differently', async () => {
    await expect(opened({ path: `${path} ` })).rejects.toThrow()
    expect(await readdir(folder)).not.toContain('sessions.db ')
  })
})

describe('a new file, with or without the template', () => {
  const modeOf = async (file: string) => (await stat(file)).mode & 0o777

  it.each(['template.db', 'none.db'])('is readable by its owner only, with its folder and log: %s', async (name) => {
    const [above, inside] = [join(folder, 'new'), join(folder, 'new', 'deep')]
    const at = { path: join(inside, 'sessions.db'), template: join(folder, name) }
    const tl = await opened(at)
    await tl.sessions.create({ userId: 'ada' })
    const files = (await readdir(inside)).sort()
    expect(files).toEqual(['sessions.db', 'sessions.db-shm', 'sessions.db-wal'])
    expect(await Promise.all(files.map((file) => modeOf(join(inside, file))))).toEqual([0o600, 0o600, 0o600])
    expect(await Promise.all([above, inside].map(modeOf))).toEqual([0o700, 0o700])
    await tl.close()

    await chmod(at.path, 0o640)
    await chmod(inside, 0o750)
    await (await opened(at)).close()
    expect(await Promise.all([inside, at.path].map(modeOf))).toEqual([0o750, 0o640])
  })
})
