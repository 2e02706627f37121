import { text } from 'node:stream/consumers'
import { type OpenOptions, open } from '../../src/index.ts'

/** What the child does, at a moment that stands still: it sweeps, or speaks up in one session after the other. */
export interface SweepJob {
  target: OpenOptions
  at: number
  /** Sessions to speak up in; absent: sweep. */
  back?: readonly string[]
}

const { target, at, back } = JSON.parse(process.argv[2] ?? '') as SweepJob
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)
const tl = await open({ ...target, clock: { now: () => at } })
print('ready')
await text(process.stdin)

if (back === undefined) print(await tl.sweep())
for (const id of back ?? []) {
  const session = await tl.sessions.get(id)
  const said = session.append({ type: 'user_message', content: 'I am back.' }).then(
    () => 'back',
    (error: { code?: string }) => error.code,
  )
  print({ id, outcome: await said })
}
await tl.close()
