import { SignJWT } from 'jose'
import { z } from 'zod'
import { open } from '../../src/open/open.ts'
import { type ServeOptions, type Server, serveWith } from '../../src/serve.ts'
import type { ApiDatabase } from '../../src/stores/conformance/harness.ts'

/** The secret that servers of tests check tokens with. */
export const SECRET = 'a secret of thirty-two bytes or more, for tests'

/** A signed token, valid for an hour by default. */
export async function tokenOf(
  claims: Record<string, unknown>,
  { secret = SECRET, expires = '1h' } = {},
): Promise<string> {
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret))
}

/** A token of the operator. */
export const operatorToken = () => tokenOf({ sub: 'ops', scope: 'throughline:operator' })

/** A server on a free port that checks every response against its documented schema. */
export async function startServer(options: ServeOptions): Promise<Server> {
  return await serveWith({ port: 0, log: 'silent', jwt: { secret: SECRET }, ...options }, (route, answer) => {
    if (route.response === undefined || answer === undefined) return
    const { error } = z.safeParse(route.response, JSON.parse(JSON.stringify(answer)))
    if (error !== undefined) throw new Error(`${route.operation} answers what it does not document: ${error.message}`)
  })
}

/** A database behind servers: each `connect` starts a server and a client. Other processes use the first server. */
export async function servedDatabase(target: ServeOptions, destroy: () => Promise<void>): Promise<ApiDatabase> {
  const token = await operatorToken()
  const servers: Server[] = []
  return {
    get target() {
      const [first] = servers
      if (first === undefined) throw new Error('connect first: other processes need a server that runs')
      return { url: first.url, token }
    },
    async connect(options = {}) {
      const server = await startServer({ ...target, ...options })
      servers.push(server)
      const tl = await open({ url: server.url, token })
      const close = async () => {
        await tl.close()
        await server.close()
      }
      return { ...tl, close }
    },
    async destroy() {
      await Promise.all(servers.map((server) => server.close()))
      await destroy()
    },
  }
}
