// Two agents work on one session: a shared scratchpad, a gate, and a handoff that exactly one agent takes.
import { open } from 'throughline'

const tl = await open({ url: 'memory:', agents: ['architect', 'engineer'] })
const session = await tl.sessions.create({ userId: 'ada', chatmode: 'architect', task: 'Add retries' })

await session.updateState({ current_task: 'Design the schema', spec_file: 'docs/retries.md' })
await session.addToState('files_in_progress', 'src/retry.ts')
await session.incrementState('reviews')
await session.passGate(1, 'Schema reviewed')

await session.handoff({
  to: 'engineer',
  reason: 'The design is ready',
  context: { artifacts_created: ['docs/retries.md'], key_decisions: ['exponential backoff with jitter'] },
})

const takers = await Promise.all([session.takeHandoff(), session.takeHandoff(), session.takeHandoff()])
console.log(`${takers.filter((taken) => taken !== undefined).length} of ${takers.length} takers got the handoff`)
const { activeAgent } = await session.record()
const [transition] = await session.transitions()
console.log(`${activeAgent} acts now: ${transition?.reason}`)
console.log(JSON.stringify((await session.state()).scratchpad))
await tl.close()
