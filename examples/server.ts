// A server, and clients with the same API as for a local store. Each user sees only their own sessions.
import { SignJWT } from 'jose'
import { open } from 'throughline'
import { serve } from 'throughline/server'

const secret = 'thirty-two bytes or more, from where you keep secrets'
const server = await serve({ url: 'memory:', port: 0, jwt: { secret }, log: 'silent' })

// your token issuer does this
const tokenOf = (sub: string) =>
  new SignJWT({ tenant: 'acme', sub })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(secret))

const ada = await open({ url: server.url, token: () => tokenOf('ada') }) // asked for each request: it may be short-lived
const bob = await open({ url: server.url, token: await tokenOf('bob') })

const session = await ada.sessions.create({ userId: 'ada', task: 'Plan the trip' })
await bob.sessions.create({ userId: 'bob' })
for (const [name, tl] of Object.entries({ ada, bob })) {
  const { items } = await tl.sessions.list()
  console.log(`${name} sees ${items.map(({ userId }) => `a session of ${userId}`).join(', ')}`)
}
console.log(`for bob that of ada is ${await bob.sessions.get(session.id).catch((error) => error.code)}`)

// follows over the network what any client or the server process writes
const following = (async () => {
  for await (const event of session.tail({ after: 1 })) {
    console.log(`${event.sequence} ${event.role}: ${event.content}`)
    if (event.role === 'assistant') return
  }
})()
await session.append({ type: 'user_message', content: 'Find me a night train to Vienna.' })
const here = await server.tl.sessions.get(session.id) // without HTTP, as the operator
await here.append({ type: 'model_message', content: 'There is one at 21:40. Shall I book it?' })
await following

await ada.close()
await bob.close()
await server.close() // finishes what it accepted
