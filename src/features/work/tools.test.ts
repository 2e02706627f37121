import { describe, expect, it } from 'vitest'
import type { Session } from '../../api.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import type { ToolReader } from '../../ports/tool-reader.ts'
import { memoryData, memoryStore } from '../../stores/memory/index.ts'
import { createToolTable } from './tools.ts'

const RESULT = { id: 'c1', arguments: { to: 'a.ts' }, result: 'ok', isError: false }

/** What a function says about a call of its tool. */
const said = (reader: ToolReader) => createToolTable({ deploy: reader }).observe({ ...RESULT, name: 'deploy' })

async function deploy(session: Session): Promise<void> {
  await session.append([
    { type: 'tool_call', content: '', parts: { id: 'c1', name: 'deploy', arguments: { to: 'a.ts' } } },
    { type: 'tool_result', content: 'ok', parts: { toolCallId: 'c1' } },
  ])
}

describe('a function of the caller', () => {
  it('states observations, which are kept in stored form', () => {
    expect(
      said(() => [
        { kind: 'note', text: 'Decision: now' },
        { kind: 'plan', text: 'then', id: 'p' },
      ]),
    ).toEqual([
      { kind: 'note', id: 'c1', text: 'Decision: now' },
      { kind: 'plan', id: 'p', text: 'then' },
    ])
    expect(
      said(({ arguments: given }) => ({ kind: 'fileWrite', path: (given as { to: string }).to, content: 'ö' })),
    ).toEqual([{ kind: 'fileWrite', path: 'a.ts', hash: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 2 }])
    expect(said(() => undefined)).toEqual([])
    expect(said(() => Array.from({ length: 150 }, () => ({ kind: 'note', text: 'x' }) as const))).toHaveLength(100)
    expect(
      said(() => [
        { kind: 'note', text: 'x' },
        { kind: 'note', text: 'y' },
      ]),
    ).toMatchObject([{ id: 'c1' }, { id: 'c1.1' }])
  })

  it('that throws or states something invalid yields nothing, and invalid ones only themselves', () => {
    const wrong: unknown[] = [
      5,
      'text',
      null,
      {},
      { kind: 'odd' },
      { kind: 'fileRead', path: '' },
      Promise.reject(new Error('no')),
    ]
    for (const value of wrong) expect(said((() => value) as never)).toEqual([])
    expect(
      said(() => {
        throw new Error('no')
      }),
    ).toEqual([])
    expect(said((() => [{ kind: 'fileRead' }, { kind: 'fileRead', path: 'a' }]) as never)).toEqual([
      { kind: 'fileRead', path: 'a' },
    ])
  })

  it('cannot change the event', () => {
    const given = { to: 'a.ts' }
    const table = createToolTable({
      deploy: ({ arguments: all }) => {
        Object.assign(all as object, { to: 'other' })
        return undefined
      },
    })
    table.observe({ ...RESULT, name: 'deploy', arguments: given })
    expect(given).toEqual({ to: 'a.ts' })
  })
})

describe('the tools of an open store', () => {
  it('show up in the graph and in commits', async () => {
    const tl = openOn(memoryStore(uuid7), { tools: { deploy: { fileWrite: 'to' } } })
    const session = await tl.sessions.create({ userId: 'ada' })
    await deploy(session)
    expect((await session.graph()).edges).toMatchObject([
      { from: 'file:a.ts', evidence: [{ tool: 'deploy', sequence: 3 }] },
    ])
    await session.end()
    expect((await session.compact()).filesWritten).toEqual([{ path: 'a.ts' }])
    expect((await tl.verify()).differences).toEqual([])
  })

  it('do not disturb a process with others, which sees what its own tools say', async () => {
    const data = memoryData()
    const [writer, reader, plain] = [{ fileWrite: 'to' }, { fileRead: 'to' }, undefined].map((rule) =>
      openOn(memoryStore(uuid7, data), rule && { tools: { deploy: rule } }),
    )
    const session = await writer?.sessions.create({ userId: 'ada' })
    await deploy(session as Session)
    const edges = async (tl = writer) =>
      (await (await tl?.sessions.get(session?.id ?? ''))?.graph())?.edges.map(({ label }) => label)
    expect([await edges(writer), await edges(reader), await edges(plain), await edges(writer)]).toEqual([
      ['updatedIn'],
      ['references'],
      [],
      ['updatedIn'],
    ])
    for (const tl of [writer, reader, plain]) expect((await tl?.verify())?.differences).toEqual([])
  })

  it.each([
    ['no name', { '': false }],
    ['no argument', { deploy: {} }],
    ['an unknown key', { deploy: { path: 'x' } }],
    ['a number', { deploy: 5 }],
  ])('are refused with %s', (_, tools) => {
    expect(() => openOn(memoryStore(uuid7), { tools } as never)).toThrow(
      expect.objectContaining({ code: 'VALIDATION' }),
    )
  })

  it('have the same name for the same rules in any order, and another for others', () => {
    const name = (tools: Record<string, ToolReader>) => createToolTable(tools).name
    expect(name({ a: false, b: { command: 'x' } })).toBe(name({ b: { command: 'x' }, a: false }))
    const names = [{}, { a: false }, { a: { command: 'x' } }, { a: { command: 'y' } }, { b: { command: 'y' } }].map(
      (each) => name(each as never),
    )
    expect(new Set(names).size).toBe(names.length)
  })
})
