import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { uuid7 } from '../../ids.ts'
import { open } from '../../open/open.ts'
import { describeSessionStore, describeThroughline } from '../conformance/index.ts'
import { sqliteStore } from './index.ts'

async function newFile() {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  return { path: join(folder, 'sessions.db'), destroy: () => rm(folder, { recursive: true }) }
}

describeSessionStore(
  {
    name: 'sqlite',
    async create() {
      const { path, destroy } = await newFile()
      return { connect: () => sqliteStore({ path, durability: 'full', migrate: true, newId: uuid7 }), destroy }
    },
  },
  { describe, it },
)

describeThroughline(
  {
    name: 'sqlite',
    async create() {
      const { path, destroy } = await newFile()
      const url = `sqlite:${path}`
      return { connect: (options) => open({ url, ...options }), target: url, destroy }
    },
  },
  { describe, it },
)
