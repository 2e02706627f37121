import { expect, it } from 'vitest'
import { LIMITS } from '../../domain/limits.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import { memoryStore } from '../../stores/memory/index.ts'
import { findSession } from './find-session.ts'

it('finds a session by a part of its id behind sessions that fill a page', async () => {
  const tl = openOn(memoryStore(uuid7))
  try {
    const { id } = await tl.sessions.create({ userId: 'ada' })
    for (let i = 0; i < 5; i++) {
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.abort('x'.repeat(LIMITS.statement))
    }
    expect((await findSession(tl, id.slice(-12), undefined)).id).toBe(id)
  } finally {
    await tl.close()
  }
})
