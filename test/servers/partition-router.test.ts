import { once } from 'node:events'
import { connect as connectSocket } from 'node:net'
import pg, { type Submittable } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { firstInShortRun } from '../proof.ts'
import { type Databases, databasesOf, type TestDatabase } from './database.ts'
import { type PartitionRouter, startPartitionRouter } from './partition-router.ts'

/** `place` returns the node that a call reached. */
const schemaOf = (node: number) => `
  create schema context;
  create function context.place(p smallint, note text default '') returns text language sql as
    $$ select '${node}' || note $$;
  create function context.place_of(p integer) returns text language sql as $$ select '${node}' $$;
  create function context.divide(p smallint, n integer) returns integer language sql as $$ select 1 / n $$;
  create function context.fill(p smallint, n integer) returns setof text language sql as
    $$ select repeat('x', 1000000) from generate_series(1, n) $$;
  create function context.warn(p smallint) returns void language plpgsql as
    $$ begin raise notice 'from node ${node}'; end $$;
  create function context.schema_version() returns text language sql as $$ select '${node}' $$;
  create function context.partition_groups() returns text language sql as $$ select '${node}' $$`

const PLACE = 'select context.place($1) as place'

describe.each(firstInShortRun(inject('postgres')))('a partition router on $name', ({ url }) => {
  const { hostname: host, port } = new URL(url)
  let databases: Databases
  let nodes: TestDatabase[]
  let router: PartitionRouter
  let clients: pg.Client[]
  let client: pg.Client

  beforeAll(async () => {
    databases = await databasesOf(url)
    nodes = [await databases.create('bare'), await databases.create('bare')]
    for (const [i, node] of nodes.entries()) await node.admin(schemaOf(i))
  })
  afterAll(async () => {
    for (const node of nodes) await node.destroy()
    await databases.close()
  })

  beforeEach(async () => {
    router = await startPartitionRouter({
      nodes: nodes.map((node) => ({ host, port: Number(port), database: new URL(node.url()).pathname.slice(1) })),
      nodeOf: (partition) => partition % 2,
    })
    clients = []
    client = await connect()
  })
  afterEach(async () => {
    for (const one of clients) await one.end()
    await router.close()
  })

  async function connect(config: pg.ClientConfig = {}): Promise<pg.Client> {
    const target = { host: '127.0.0.1', port: router.port, user: 'postgres', database: 'any' }
    const one = new pg.Client({ ...target, ...config })
    one.on('error', () => {})
    clients.push(one)
    await one.connect()
    return one
  }

  /** The first column of the first row. */
  async function firstValue(text: string, values: unknown[], name = '', by = client): Promise<unknown> {
    const { rows } = await by.query({ text, values, name, rowMode: 'array' })
    return rows[0]?.[0]
  }

  it('sends each call to the node of its partition', async () => {
    for (const partition of [0, 1, 2, 1023]) expect(await firstValue(PLACE, [partition])).toBe(`${partition % 2}`)
    expect(router.calls()).toEqual([2, 2])
  })

  it('prepares a named statement on each node that needs it', async () => {
    const replies: string[] = []
    wireOf(client).on('message', ({ name }) => replies.push(name))
    for (const partition of [0, 0, 1, 1, 0, 1]) {
      expect(await firstValue(PLACE, [partition], 'place')).toBe(`${partition % 2}`)
    }
    expect(replies.filter((name) => name === 'parseComplete')).toHaveLength(1)
    expect(await firstValue('select count(*)::integer from pg_prepared_statements', [])).toBe(1)
  })

  it('reads a binary partition of two or four bytes', async () => {
    expect(await firstValue(PLACE, [Buffer.from([0, 3])], 'place')).toBe('1')
    expect(await firstValue(PLACE, [Buffer.from([0, 2])], 'place')).toBe('0')
    expect(await firstValue('select context.place_of($1)', [Buffer.from([0, 0, 0, 5])])).toBe('1')
  })

  it('answers pipelined calls in order, also around errors and refusals', async () => {
    const pipelined = await connect({ pipeline: true })
    const place = (n: number) => firstValue('select context.place($1, $2)', [n, ` ${n}`], 'noted', pipelined)
    const outcomes = await Promise.allSettled([
      ...[0, 1, 2, 3, 5].map(place),
      firstValue('select context.divide($1, $2)', [1, 0], '', pipelined),
      firstValue('select context.place(0::smallint)', [], 'lost', pipelined),
      ...[4, 7].map(place),
    ])
    const results = outcomes.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code))
    expect(results).toEqual(['0 0', '1 1', '0 2', '1 3', '1 5', '22012', '0A000', '0 4', '1 7'])
  })

  it('passes on the error of a node and stays usable', async () => {
    const divide = (n: number) => firstValue('select context.divide($1, $2)', [1, n], 'divide')
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' })
    expect(await divide(1)).toBe(1)
    await expect(divide(0)).rejects.toMatchObject({ code: '22012' })
    expect(await firstValue(PLACE, [0])).toBe('0')
    expect(router.refused).toEqual([])
  })

  it('prepares a statement again that a node could not prepare', async () => {
    const late = (partition: number) => firstValue('select context.late($1)', [partition], 'late')
    const create = "create function context.late(p smallint) returns text language sql as $$ select 'late' $$"
    await nodes[0]?.admin(create)
    expect(await late(0)).toBe('late')
    await expect(late(1)).rejects.toMatchObject({ code: '42883' })
    expect(await firstValue(PLACE, [1], 'other')).toBe('1')
    await nodes[1]?.admin(create)
    expect(await late(1)).toBe('late')
    expect(await late(0)).toBe('late')
  })

  it('closes a statement on both nodes', async () => {
    for (const partition of [0, 1]) await firstValue(PLACE, [partition], 'reused')
    await closeStatement(client, 'reused')
    const missing = { code: '26000', message: 'prepared statement "reused" does not exist' }
    await expect(firstValue(PLACE, [1], 'reused')).rejects.toMatchObject(missing)
    delete wireOf(client).parsedStatements['reused']
    const other = "select context.place($1, ' again')"
    for (const partition of [1, 0]) expect(await firstValue(other, [partition], 'reused')).toBe(`${partition} again`)
  })

  it('sends statements that need no partition to the first node', async () => {
    expect(await firstValue('select context.schema_version()', [], 'version')).toBe('0')
    expect(await firstValue('select context.partition_groups()', [])).toBe('0')
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await client.query("set application_name = 'renamed'")
    expect(await firstValue('select current_setting($1)', ['application_name'])).toBe('renamed')
    expect(router.calls()).toEqual([0, 0])
  })

  it('refuses a call without a partition', async () => {
    const text = "select context.place('1')"
    const message = `statement "lost" lacks a partition: ${text}`
    await expect(firstValue(text, [], 'lost')).rejects.toMatchObject({ severity: 'ERROR', code: '0A000', message })
    expect(router.refused).toEqual([message])
    expect(await firstValue(PLACE, [1])).toBe('1')
    expect(router.calls()).toEqual([0, 1])
  })

  it.each<[string, unknown[]]>([
    [PLACE, [null]],
    [PLACE, ['ada']],
    [PLACE, [-1]],
    [PLACE, [1024]],
    [PLACE, [Buffer.from([4, 0])]],
    ['select context.place($2, $1)', ['1', 1]],
    ["select context.place($1, context.place('1'))", [1]],
    ['select context.place($1) from context.sessions', [1]],
    ['select * from memori.memories where id = $1', [1]],
    ['update context.sessions set id = $1', [1]],
  ])('refuses %s with %j', async (text, values) => {
    await expect(firstValue(text, values)).rejects.toMatchObject({ code: '0A000' })
    expect(router.refused).toEqual([expect.stringContaining(text)])
  })

  it.each(["select context.place('1')", 'delete from memori.memories'])('refuses the query %s', async (text) => {
    await expect(client.query(text)).rejects.toMatchObject({ code: '0A000', message: expect.stringContaining(text) })
    expect(await firstValue(PLACE, [1])).toBe('1')
  })

  it.each(['begin', 'START  TRANSACTION read only', 'rollback'])('refuses %s', async (text) => {
    const message = `a transaction over several round trips: ${text}`
    await expect(client.query(text)).rejects.toMatchObject({ code: '0A000', message })
    await expect(firstValue(text, [], 'transaction')).rejects.toMatchObject({ code: '0A000', message })
    expect(router.refused).toEqual([message, message])
    expect(await firstValue(PLACE, [1])).toBe('1')
  })

  it('ends a connection that opened a transaction in another way', async () => {
    const ended = endOf(client)
    const message = 'a transaction stayed open after a query'
    await expect(client.query('select 1; begin')).rejects.toMatchObject({ severity: 'FATAL', code: '0A000', message })
    await ended
    expect(router.refused).toEqual([message])
  })

  it('passes on notifications while the connection is idle', async () => {
    const listener = await connect()
    await listener.query('listen news')
    const heard = once(listener, 'notification')
    await client.query('select pg_notify($1, $2)', ['news', 'hello'])
    expect(await heard).toMatchObject([{ channel: 'news', payload: 'hello' }])
  })

  it('passes on notices of the node that runs the call', async () => {
    const said = once(client, 'notice')
    await firstValue('select context.warn($1)', [1])
    expect(await said).toMatchObject([{ message: 'from node 1' }])
  })

  it('passes on large parameters and results', async () => {
    const note = 'n'.repeat(5_000_000)
    expect(await firstValue('select context.place($1, $2)', [1, note])).toBe(`1${note}`)
    const { rows } = await client.query('select context.fill($1, $2) as part', [1, 20])
    expect(rows.map(({ part }) => part.length)).toEqual(Array(20).fill(1_000_000))
  })

  it.each([0, 1])('ends the connection of the client when node %i ends its own', async (i) => {
    const killed = await connect({ application_name: 'killed' })
    const ended = endOf(killed)
    const kill = "select pg_terminate_backend(pid) as done from pg_stat_activity where application_name = 'killed'"
    expect(await nodes[i]?.admin(`${kill} and datname = current_database()`)).toEqual([{ done: true }])
    await ended
    expect(await firstValue(PLACE, [i])).toBe(`${i}`)
  })

  it('ends the connections to the nodes with that of the client', async () => {
    const leaving = await connect({ application_name: 'leaving' })
    await leaving.end()
    const count = "select count(*)::integer as open from pg_stat_activity where application_name = 'leaving'"
    await expect.poll(() => nodes[0]?.admin(count)).toEqual([{ open: 0 }])
  })

  it('passes on why a node refuses to connect', async () => {
    await expect(connect({ user: 'nobody_knows' })).rejects.toMatchObject({ code: '28000' })
  })

  it('ignores the cancellation of a query', async () => {
    const socket = connectSocket(router.port, '127.0.0.1')
    socket.end(Buffer.from([0, 0, 0, 16, 4, 210, 22, 46, 0, 0, 0, 1, 0, 0, 0, 1]))
    await once(socket, 'close')
    expect(await firstValue(PLACE, [1])).toBe('1')
  })

  it('says that it does not encrypt', async () => {
    await expect(connect({ ssl: true })).rejects.toThrow('does not support SSL')
  })
})

/** Unlike `once` of `node:events`, it ignores the error that comes before the end. */
function endOf(client: pg.Client): Promise<void> {
  return new Promise((resolve) => {
    client.once('end', resolve)
  })
}

/** Parts of the driver's connection without types. */
interface Wire {
  parsedStatements: Record<string, string>
  on(event: 'message', listener: (message: { name: string }) => void): void
  close(what: { type: 'S'; name: string }): void
  sync(): void
}

function wireOf(client: pg.Client): Wire {
  return (client as unknown as { connection: Wire }).connection
}

function closeStatement(client: pg.Client, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const submit = () => {
      wireOf(client).close({ type: 'S', name })
      wireOf(client).sync()
    }
    const close = { submit, handleReadyForQuery: () => resolve(), handleError: reject }
    client.query(close as Submittable)
  })
}
