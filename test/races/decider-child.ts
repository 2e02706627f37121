import { advanceView, NOON, someEvent } from '../../src/stores/conformance/samples.ts'
import { postgresStore } from '../../src/stores/postgres/index.ts'

/** Decides on one session until it holds the lock, and kills itself there. */
export interface DeciderJob {
  url: string
  sessionId: string
}

const { url, sessionId } = JSON.parse(process.argv[2] ?? '') as DeciderJob
const store = await postgresStore({ url, migrate: false })
process.stdout.write('"ready"\n')
for (;;) {
  let calls = 0
  await store.decide({
    sessionId,
    at: NOON,
    decide(view) {
      // it decides again only after a conflict, and then under the lock
      if (++calls > 1) process.kill(process.pid, 'SIGKILL')
      return { events: [someEvent('of the child')], view: advanceView(view, 1) }
    },
  })
}
