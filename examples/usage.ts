// Tokens and costs: stored with each answer, summed per turn and session, reported per user, tenant, day and model.
import { open } from 'throughline'

// US dollars per million tokens; an answer that names no cost gets it from here
const prices = { 'small-1': { input: 0.5, output: 2, cacheRead: 0.05 } }
const tl = await open({ url: 'memory:', prices })
const session = await tl.sessions.create({ userId: 'ada' })

await session.append({ type: 'user_message', content: 'What is the weather in Vienna?' })
await session.append({
  type: 'model_message',
  content: 'It is sunny.',
  // the date that providers add to a name needs no price of its own
  usage: { model: 'small-1-2026-01-31', inputTokens: 12_000, outputTokens: 400, cacheReadTokens: 10_000 },
})
await session.append({ type: 'user_message', content: 'And tomorrow?' })
await session.append({
  type: 'model_message',
  content: 'Rain.',
  usage: { model: 'large-1', inputTokens: 12_500, outputTokens: 20, costUsd: 0.0127 },
})

const { usage } = await session.record()
console.log(`this turn: ${usage?.turn.inputTokens} tokens in, $${usage?.turn.costUsd}`)
console.log(`in total: ${usage?.total.inputTokens} tokens in, $${usage?.total.costUsd}`)

const { items } = await tl.usage({ by: 'model' })
for (const { model, messages, costUsd } of items) console.log(`${model}: ${messages} call, $${costUsd}`)

await tl.close()
