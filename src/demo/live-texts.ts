/** Longer answers of the live session, in Markdown. */

export const PLAN = `Here is what I would do, smallest step first:

1. Keep open connections in a **pool** instead of closing them.
2. Lend them out *one caller at a time*, and queue the rest.
3. Prove it with a test that cuts a connection while it is lent out.

\`\`\`ts
const pool = createPool({ url, size: 10 })
await pool.use((connection) => connection.query(sql))
\`\`\`

What stays the same:

- the signature of \`connect()\`
- the retries we added last time
- the timeout of 8 s`

export const MEASURED = `I replayed Tuesday's traffic against a copy of the database:

| pool size | succeed | waiting | 99th percentile |
| :-- | --: | --: | --: |
| none, as today | 98.1 % | 0 % | 2.4 s |
| 5 | 99.2 % | 11 % | 1.1 s |
| 10 | 99.6 % | 0.8 % | 0.4 s |
| 10, idle ones closed | **99.8 %** | 0.9 % | **0.4 s** |

Two conclusions:

- A pool helps at any size. Closing idle connections helps *again*: the database refuses fewer new ones.
- **Beyond 10, nothing gets faster.**

> The copy responds a little faster than the real database, so read the last column as a lower bound.`

export const CODE = `Callers now borrow a connection and return it:

\`\`\`ts
export async function use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = idle.pop() ?? (await connect(url, { maxRetries }))
  try {
    return await work(connection)
  } finally {
    if (idle.length < size) idle.push(connection)
    else connection.close()
  }
}
\`\`\`

\`query.ts\` uses it and no longer calls \`connect()\` itself.`

export const RUNBOOK = `The runbook has a new section, *Queries are slow*:

1. Look at \`pool_waiting_total\`. Below **5 %** of all queries: do nothing.
2. Above it: is the database slow? Its status page is linked in \`#database\`.
3. Above **20 %**: restart one machine, and tell the team.

- [x] metric, with the machine as a label
- [x] runbook
- [ ] alert at 5 %`
