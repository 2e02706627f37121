import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyError, FastifyInstance, FastifyPluginAsync } from 'fastify'
import { z } from 'zod'
import { packageFile } from '../package-file.ts'
import { openSchema, textAs } from './open-routes.ts'

/** The folder of the built page. */
const FOLDER = fileURLToPath(packageFile('../dist/inspector/'))

/** Allows only the page's own files and this server. Content cannot become a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

const NOT_BUILT = 'The inspector was not built: run "npm run build". Every route is at /openapi.json.\n'

/** Serves the inspector at `/`. */
export async function inspector(app: FastifyInstance): Promise<void> {
  const schema = openSchema('page', 'The inspector: a page for people', { 200: textAs('text/html', z.string()) })
  if (!existsSync(FOLDER)) {
    app.get('/', { schema }, async (_request, reply) => reply.type('text/plain; charset=utf-8').send(NOT_BUILT))
    return
  }
  const page: FastifyPluginAsync = async (scope) => {
    scope.setErrorHandler((error: FastifyError, _request, reply) => {
      // a path that leaves the folder, or is not in normal form
      if ((error.statusCode ?? 500) >= 500) throw error
      reply.callNotFound()
    })
    await scope.register(fastifyStatic, {
      root: `${FOLDER}assets`,
      prefix: '/assets/',
      index: false,
      acceptRanges: false,
      // file names change with their content
      immutable: true,
      maxAge: '365d',
      preCompressed: true,
      setHeaders: (reply) => void reply.headers(HEADERS),
    })
    scope.get('/', { schema }, async (_request, reply) =>
      reply.sendFile('index.html', FOLDER, { immutable: false, maxAge: 0 }),
    )
  }
  await app.register(page)
}
