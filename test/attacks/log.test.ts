import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import openDatabase from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { StorageError } from '../../src/domain/errors.ts'
import { serverLog } from '../../src/http/log.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../servers/database.ts'
import { tokenOf } from '../servers/http.ts'
import { requestTo } from './requests.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { send, sendRaw, type TestResponse } from './target.ts'

/** Part of every secret; must be in no line of the log. */
const MARK = 'xyzzy'

interface Line {
  level: string
  reqId?: string
  msg: string
  status?: number
}

const started: ServerProcess[] = []
// also after a test that failed early
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop()
})

/** A server whose requests and log are recorded. */
class Watched {
  readonly #server: ServerProcess
  readonly token: string
  readonly #answers: TestResponse[] = []

  constructor(server: ServerProcess, token: string) {
    this.#server = server
    this.token = token
  }

  static async start(url: string): Promise<Watched> {
    const server = await startServerProcess(url, '--log', 'trace')
    started.push(server)
    // the token's own text holds the mark too, as its user does
    return new Watched(server, await tokenOf({ tenant: 'acme', sub: `ada ${MARK}` }))
  }

  get url(): string {
    return this.#server.url
  }

  async ask(method: string, path: string, sending: Parameters<typeof send>[3] = {}): Promise<TestResponse> {
    const answer = await send(this.url, method, path, { token: this.token, ...sending })
    this.#answers.push(answer)
    return answer
  }

  async session(): Promise<string> {
    const { body } = await this.ask('POST', '/v1/sessions', { body: { userId: `ada ${MARK}` } })
    return (body as { id: string }).id
  }

  /** Stops the server, checks its log for secrets and request ids, and returns the lines. */
  async lines(): Promise<Line[]> {
    expect(await this.#server.stop()).toBe(0)
    const text = this.#server.log()
    for (const secret of [MARK, ...this.token.split('.')]) expect(text).not.toContain(secret)
    const lines = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line)
    const known = new Set(lines.flatMap(({ reqId }) => reqId ?? []))
    for (const { body } of this.#answers) {
      const { instance } = (body ?? {}) as { instance?: string }
      if (instance !== undefined) expect(known).toContain(instance)
    }
    for (const line of lines)
      if ('status' in line || line.msg === 'failed') expect(line.reqId).toMatch(/^[0-9a-f-]{36}$/)
    return lines
  }
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'throughline-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

it('the server log holds no content of requests and responses, on any route', async () => {
  const server = await Watched.start('memory:')
  const id = await server.session()
  for (const route of ROUTES.filter(({ stream }) => stream !== true)) {
    const { method, path, body } = requestTo(route, route.path.startsWith('/sessions') ? id : MARK)
    const marked = body && JSON.parse(JSON.stringify(body).replaceAll(/from outside|secret/g, MARK))
    const headers = { 'idempotency-key': `${route.operation} ${MARK}`, 'x-request-id': MARK, 'user-agent': MARK }
    await server.ask(method, `${path}?note=${MARK}`, { body: marked, headers })
    await server.ask(method, path, { body: marked, headers })
    if (method !== 'GET') await server.ask(method, path, { body: `{"${MARK}":`, headers })
    await server.ask(method, path, { body: marked, headers: { ...headers, authorization: `Bearer ${MARK}` } })
  }
  await server.ask('GET', `/${MARK}?${MARK}`)
  await server.ask('GET', `/v1/${MARK}/%zz`)
  await server.ask('GET', `/v1/sessions/${MARK}`)
  await server.ask('POST', '/v1/sessions', { body: MARK, headers: { 'content-type': MARK } })
  await server.ask('GET', '/v1', { headers: { 'throughline-as': `tenant=${MARK}` } })
  await sendRaw(server.url, `GET /${MARK}\r\n\r\n`)
  await sendRaw(server.url, `GET / HTTP/1.1\r\n${MARK}: ${MARK.repeat(10_000)}\r\n\r\n`)
  const lines = await server.lines()
  expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  expect(lines.filter(({ msg }) => msg === 'responded').length).toBeGreaterThan(3 * 40)
})

it('a store failure is logged under the request id that the caller receives, without the content', async () => {
  const file = join(folder, 'broken.db')
  const server = await Watched.start(`sqlite:${file}`)
  const id = await server.session()
  const database = openDatabase(file)
  database.exec(`alter table session_events rename to "${MARK}"`)
  database.close()
  const body = { type: 'user_message', content: MARK }
  const answer = await server.ask('POST', `/v1/sessions/${id}/events`, { body })
  expect([answer.status, (answer.body as { code: string }).code]).toEqual([503, 'STORAGE'])
  const { instance } = answer.body as { instance: string }
  const failed = (await server.lines()).filter(({ msg }) => msg === 'failed')
  expect(failed.map(({ level, reqId }) => [level, reqId])).toEqual([['error', instance]])
})

it('a caller who disconnects is not logged as a server failure', async () => {
  const server = await Watched.start('memory:')
  const { hostname, port } = new URL(server.url)
  const head = `POST /v1/sessions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\ncontent-type: application/json\r\n`
  const socket = connect(Number(port), hostname)
  await new Promise((resolve) => socket.write(`${head}content-length: 1000\r\n\r\n{"userId":"${MARK}`, resolve))
  await server.ask('GET', '/v1')
  await new Promise((resolve) => socket.once('close', resolve).resetAndDestroy())
  await server.ask('GET', '/v1')
  const lines = await server.lines()
  expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'refused', code: 'VALIDATION' }))
})

describe('a database whose errors repeat the content', () => {
  const [postgres] = inject('postgres')
  let databases: Databases
  let database: TestDatabase
  beforeAll(async () => {
    databases = await databasesOf(postgres?.url ?? '')
    database = await databases.create()
    await database.admin(`
      create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'not to my liking: %', new using detail = new::text; end $$;
      create trigger refuse before insert on context.session_events for each row
      when (new.sequence > 1) execute function refuse()`)
  })
  afterAll(async () => {
    await database.destroy()
    await databases.close()
  })

  it('exposes it neither in the log nor to the caller', async () => {
    const server = await Watched.start(database.url(SERVING))
    const id = await server.session()
    const body = { type: 'user_message', content: MARK }
    const answer = await server.ask('POST', `/v1/sessions/${id}/events`, { body })
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([503, 'STORAGE'])
    expect(answer.text).not.toContain(MARK)
    expect(await server.lines()).toContainEqual(expect.objectContaining({ level: 'error', msg: 'failed' }))
  })
})

it('the log holds no part of the message of a foreign error, of its causes, or of a text that looks like a stack', () => {
  let text = ''
  const log = serverLog('trace', {
    write(line: string) {
      text += line
    },
  })
  const driver = new Error(`${MARK}\n    at ${MARK}\n    at ${MARK} (${MARK}:1:1)`)
  log.error({ err: driver }, 'failed')
  log.error({ err: new StorageError('postgres', driver.message, { cause: driver }) }, 'failed')
  log.error({ err: new TypeError('outer', { cause: driver }) }, 'failed')
  log.error({ err: `${MARK}` }, 'failed')
  log.info({ req: { url: MARK, headers: { authorization: MARK } }, res: { body: MARK } }, 'by mistake')
  expect(text).not.toContain(MARK)
  expect(text.match(/"stack":\[" {4}at /g)).toHaveLength(5)
})
