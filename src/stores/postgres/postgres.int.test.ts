import pg from 'pg'
import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { open } from '../../open.ts'
import { describeSessionStore, describeThroughline } from '../conformance/index.ts'
import { postgresStore } from './index.ts'

/** Roles that are neither owner nor superuser: one migrates, the other serves. */
const OWNER = 'throughline_test_owner'
const SERVING = 'throughline_test_serving'
const TEMPLATE = 'throughline_test_template'

const as = (url: string, user: string, database: string) => {
  const target = new URL(url)
  target.username = user
  target.pathname = `/${database}`
  return target.href
}

async function admin<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

for (const { name, url } of inject('postgres')) {
  let made = 0

  beforeAll(async () => {
    await admin(url, async (client) => {
      await client.query(`create role ${OWNER} login createrole`)
      await client.query(`create role ${SERVING} login`)
      await client.query(`create database ${TEMPLATE} owner ${OWNER}`)
    })
    const migrated = await postgresStore({ url: as(url, OWNER, TEMPLATE), migrate: true })
    await migrated.close()
    await admin(url, (client) => client.query(`grant throughline_app to ${SERVING}`))
  })

  afterAll(() => admin(url, (client) => client.query(`drop database ${TEMPLATE} with (force)`)))

  /** A new database with the schema, as the serving role sees it. */
  async function newDatabase() {
    const database = `throughline_test_${process.pid}_${made++}`
    await admin(url, (client) => client.query(`create database ${database} template ${TEMPLATE} owner ${OWNER}`))
    const destroy = async () => {
      await admin(url, (client) => client.query(`drop database ${database} with (force)`))
    }
    return { target: as(url, SERVING, database), destroy }
  }

  describeSessionStore(
    {
      name,
      async create() {
        const { target, destroy } = await newDatabase()
        return { connect: () => postgresStore({ url: target, migrate: false }), destroy }
      },
    },
    { describe, it },
  )

  describeThroughline(
    {
      name,
      async create() {
        const { target, destroy } = await newDatabase()
        return { connect: (options) => open({ url: target, ...options }), target, destroy }
      },
    },
    { describe, it },
  )
}
