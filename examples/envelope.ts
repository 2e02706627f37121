// The envelope: one small document that says whose session it is, who guides it and what is known of it.
import { open } from 'throughline'

const tl = await open('memory:')
const gateway = tl.as({ tenant: 'acme', userId: 'ada', issuer: 'https://login.example', scope: 'chat' })
const session = await gateway.sessions.create({ userId: 'ada', metadata: { channel: 'web' } })

// a worker that has read the conversation says what it found, and who goes on
await session.updateEnvelope({
  personaId: 'planner',
  metadata: { locale: 'en' },
  analysis: { intent: 'book_train', sentiment: 'calm', tags: ['travel'] },
})

const { persona_id, tenant, subject, issuer, metadata, analysis } = await session.envelope()
console.log(`${persona_id} guides ${subject} of ${tenant}, known from ${issuer}`)
console.log(JSON.stringify({ metadata, analysis }))

// who it belongs to comes from the token alone
await session.updateEnvelope({ metadata: { tenant: 'other' } }).catch((error) => console.log(error.message))
await tl.close()
