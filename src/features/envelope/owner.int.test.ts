import { expect, inject, it } from 'vitest'
import { redisCache } from '../../cache/redis/index.ts'
import { DEFAULT_POLICY } from '../../domain/policy.ts'
import { toolTable } from '../../domain/tools/tool-table.ts'
import { uuid7 } from '../../ids.ts'
import { noMetrics } from '../../metrics/none.ts'
import { createSession } from '../../stores/conformance/samples.ts'
import { memoryStore } from '../../stores/memory/index.ts'
import { TextCompute } from '../../worker/compute.ts'
import { Background } from '../kernel/background.ts'
import type { Deps } from '../kernel/deps.ts'
import { KeyedMutex } from '../kernel/keyed-mutex.ts'
import { LogCache } from '../kernel/log-cache.ts'
import { Staging } from '../work/staging.ts'
import { readEnvelope } from './operation.ts'

const unused = () => Promise.reject(new Error('not needed here'))

it('gives nobody the envelope of another, not from the cache either', async () => {
  const cache = await redisCache({ url: inject('redis').url, ttlSeconds: 900, events: noMetrics.cache })
  const store = memoryStore(uuid7)
  const deps: Deps = {
    store,
    cache,
    clock: { now: () => 0 },
    newId: uuid7,
    idSecret: async () => 'secret',
    tokenizer: unused,
    tokenCounts: new Map(),
    logCache: new LogCache(0),
    agents: ['coach'],
    staging: new Staging(),
    conversationMutex: new KeyedMutex(),
    policy: DEFAULT_POLICY,
    tools: async () => toolTable(),
    classify: unused,
    summarize: unused,
    extract: unused,
    compute: new TextCompute({ threaded: false }),
    background: new Background(),
    keepsEnvelopes: true,
    metrics: noMetrics,
    legacy: unused,
    closed: new AbortController().signal,
  }
  const id = await createSession(store, { tenant: 'acme', userId: 'ada' })
  const envelope = await readEnvelope(deps, id)
  // from here on the cache alone knows of it
  await store.purge({ sessionId: id }, '')
  const read = (within: Deps['within'] & object) => readEnvelope({ ...deps, within }, id)
  expect(await read({ tenant: 'acme', userId: 'ada' })).toEqual(envelope)
  expect(await read({ tenant: 'acme' })).toEqual(envelope)
  for (const other of [{ tenant: 'acme', userId: 'eve' }, { tenant: 'other', userId: 'ada' }, { tenant: 'other' }]) {
    await expect(read(other)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  }
  await cache.purged(id)
  await cache.close()
})
