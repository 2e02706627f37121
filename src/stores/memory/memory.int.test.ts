import { describe, it } from 'vitest'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import { describeSessionStore, describeThroughline } from '../conformance/index.ts'
import { memoryData, memoryStore } from './index.ts'

describeSessionStore(
  {
    name: 'memory',
    async create() {
      const data = memoryData()
      return { connect: async () => memoryStore(uuid7, data), destroy: async () => {} }
    },
  },
  { describe, it },
)

describeThroughline(
  {
    name: 'memory',
    async create() {
      const data = memoryData()
      return { connect: async (options) => openOn(memoryStore(uuid7, data), options), destroy: async () => {} }
    },
    skip: { A9: 'memory belongs to one process' },
  },
  { describe, it },
)
