import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { rulesForRun } from '../../test/proof.ts'
import { servedDatabase } from '../../test/servers/http.ts'
import { describeThroughline } from '../stores/conformance/index.ts'

describeThroughline(
  {
    name: 'HTTP over sqlite',
    async create() {
      const folder = await mkdtemp(join(tmpdir(), 'throughline-'))
      const url = `sqlite:${join(folder, 'sessions.db')}`
      return await servedDatabase({ url }, () => rm(folder, { recursive: true }))
    },
  },
  // every rule also runs over HTTP to Postgres and directly on SQLite; here only transfer, and the rules on several
  // processes that concern the client
  rulesForRun({ describe, it }, /^A(29|30) |^A9 (gives dense|tails from|writes once)/),
)
