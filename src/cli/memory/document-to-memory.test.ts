import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../domain/json.ts'
import { type Destination, documentToMemory } from './document-to-memory.ts'

const ADA: Destination = { tenant: 'local', userId: 'ada', source: 'faiss.jsonl' }
const UUID5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const from = (value: Json, destination = ADA) => documentToMemory(value, destination)
const memoryFrom = (value: Json, destination = ADA) => from(value, destination).memory
const idOf = (value: Json, destination = ADA) => memoryFrom(value, destination).id

describe('a document', () => {
  it('becomes a memory with all its fields', () => {
    const { memory, id } = from({
      id: 7,
      page_content: 'Ada likes tabs',
      embedding: [0.25, -1, 3e-7],
      score: 0.5,
      retriever_hints: { k: 3 },
      category: 'preferences',
      created_at: '2024-05-01',
      expires_at: '2031-01-01',
      shard: { n: 1 },
      metadata: { area: 'main' },
    })
    expect(id).toBe('7')
    expect(memory).toEqual({
      tenant: 'local',
      userId: 'ada',
      id: expect.stringMatching(UUID5),
      content: 'Ada likes tabs',
      category: 'preferences',
      sourceType: 'bootstrap',
      expiresAt: '2031-01-01',
      source: { source: 'import:faiss.jsonl' },
      metadata: {
        id: 7,
        coordinates: [0.25, -1, 3e-7],
        retriever: { k: 3 },
        score: 0.5,
        created_at: '2024-05-01',
        shard: { n: 1 },
        area: 'main',
      },
    })
  })

  it.each(['content', 'text', 'page_content'])('has its text in %s', (key) => {
    const { memory, names } = from({ [key]: 'Words', text2: 'x' })
    expect(memory).toMatchObject({ content: 'Words', metadata: { text2: 'x' } })
    expect(names['content']).toBe(key)
  })

  it.each(['coordinates', 'coordinate', 'vector', 'embedding'])('has its coordinates in %s', (key) => {
    expect(memoryFrom({ text: 'x', [key]: [1, 2] }).metadata).toEqual({ coordinates: [1, 2] })
  })

  it.each(['retriever', 'retriever_hints', 'hints'])('has its retriever in %s', (key) => {
    expect(memoryFrom({ text: 'x', [key]: 'mmr' }).metadata).toEqual({ retriever: 'mmr' })
  })

  it('keeps other accepted keys unchanged', () => {
    const metadata = memoryFrom({
      content: 'x',
      text: 'y',
      vector: [1],
      embedding: [2],
      hints: 1,
      retriever: 2,
    }).metadata
    expect(metadata).toEqual({ coordinates: [1], embedding: [2], retriever: 2, hints: 1, text: 'y' })
  })

  it('keeps all its metadata', () => {
    const metadata = { id: 'inner', score: 1, source: 'a.md' }
    expect(memoryFrom({ id: 1, text: 'x', score: 0.5, source: 'a.md', metadata }).metadata).toEqual({
      id: 1,
      score: 0.5,
      source: 'a.md',
      metadata: { id: 'inner', score: 1 },
    })
  })

  it('treats null as absent', () => {
    const empty = { id: null, text: null, page_content: 'x', metadata: null, category: null, expires_at: null }
    const memory = memoryFrom({ ...empty, user_id: null, coordinates: null })
    expect(memory).toMatchObject({ content: 'x', userId: 'ada' })
    expect(memory).not.toHaveProperty('category')
    expect(memory).not.toHaveProperty('expiresAt')
  })

  it('gets the category and scope of the import if it has none', () => {
    const destination = { ...ADA, category: 'skills', scope: 'api' }
    expect(memoryFrom({ text: 'x' }, destination)).toMatchObject({ category: 'skills', scope: 'api' })
    expect(memoryFrom({ text: 'x', category: 'rules' }, destination)).toMatchObject({ category: 'rules' })
  })

  it('has the same id in every import from the same source', () => {
    const id = idOf({ id: 7, text: 'x' })
    // as uuid5() of Python gives it
    expect(id).toBe('74abaf0a-bac6-5f6d-9afa-5492530e95da')
    for (const same of [
      { id: '7', text: 'y' },
      { text: 'x', metadata: { id: 7 } },
    ])
      expect(idOf(same)).toBe(id)
    const others = [
      idOf({ id: 8, text: 'x' }),
      idOf({ text: 'x' }),
      ...[{ tenant: 'acme' }, { userId: 'grace' }, { source: 'b.jsonl' }].map((other) =>
        idOf({ id: 7, text: 'x' }, { ...ADA, ...other }),
      ),
    ]
    expect(new Set([id, ...others]).size).toBe(6)
    for (const other of others) expect(other).toMatch(UUID5)
  })

  it('is identified by its content if it has no id', () => {
    expect(idOf({ text: 'x', score: 1 })).toBe(idOf({ content: 'x', score: 2 }))
    expect(idOf({ text: 'x' })).not.toBe(idOf({ text: 'y' }))
  })

  it.each<[string, Json, string]>([
    ['no object', ['x'], 'document: must be an object'],
    ['no text', { id: 1 }, 'content: is missing: use content, text, page_content'],
    ['an id that is neither text nor number', { id: {}, text: 'x' }, 'id: must be a string or a number'],
    ['an empty id', { id: '', text: 'x' }, 'id: must be a string or a number'],
    ['coordinates of other things', { text: 'x', vector: [1, '2'] }, 'vector: must be an array of numbers'],
    ['metadata that is no object', { text: 'x', metadata: 'y' }, 'metadata: must be an object'],
    ['another user', { text: 'x', user_id: 'grace' }, "user_id: is not 'ada'"],
  ])('is refused with %s', (_, value, message) => {
    expect(() => from(value)).toThrow(message)
  })
})

describe('an exported memory', () => {
  const exported: JsonObject = {
    id: '0198c0de-5f0a-7c3e-8a51-3f1d2b4c6e70',
    tenant: 'local',
    userId: 'ada',
    category: 'rules',
    content: 'Tests stand beside the code',
    scope: 'api',
    sourceType: 'tool_output',
    confidence: 0.85,
    lineage: [
      { relation: 'origin', at: '2026-01-01T00:00:00.000Z', sessionId: '0198c0de-0000-7000-8000-000000000000' },
    ],
    useCount: 3,
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2031-01-01T00:00:00.000Z',
    metadata: { id: 'x', nested: { text: 1 } },
  }

  it('keeps id, confidence and metadata, and drops its lineage', () => {
    expect(memoryFrom(exported, { ...ADA, scope: 'web', category: 'facts' })).toEqual({
      tenant: 'local',
      userId: 'ada',
      id: exported['id'],
      category: 'rules',
      content: 'Tests stand beside the code',
      scope: 'api',
      sourceType: 'tool_output',
      confidence: 0.85,
      expiresAt: '2031-01-01T00:00:00.000Z',
      metadata: { id: 'x', nested: { text: 1 } },
      source: { source: 'import:faiss.jsonl' },
    })
  })

  it('is refused for another user or tenant, or if superseded', () => {
    expect(() => from(exported, { ...ADA, userId: 'grace' })).toThrow("userId: is not 'grace'")
    expect(() => from(exported, { ...ADA, tenant: 'acme' })).toThrow("tenant: is not 'acme'")
    expect(() => from({ ...exported, supersededBy: 'y' })).toThrow('supersededBy: ')
  })
})
