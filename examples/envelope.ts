// The envelope: one small document with the owner of a session, its persona and what is known about it.
import { open } from 'throughline'

const tl = await open('memory:')
const gateway = tl.as({ tenant: 'acme', userId: 'ada', issuer: 'https://login.example', scope: 'chat' })
const session = await gateway.sessions.create({ userId: 'ada', metadata: { channel: 'web' } })

// a worker that has read the conversation stores its analysis and the next persona
await session.updateEnvelope({
  personaId: 'planner',
  metadata: { locale: 'en' },
  analysis: { intent: 'book_train', sentiment: 'calm', tags: ['travel'] },
})

const { persona_id, tenant, subject, issuer, metadata, analysis } = await session.envelope()
console.log(`${persona_id} guides ${subject} of ${tenant}, known from ${issuer}`)
console.log(JSON.stringify({ metadata, analysis }))

// the owner comes only from the token
await session.updateEnvelope({ metadata: { tenant: 'other' } }).catch((error) => console.log(error.message))
await tl.close()
