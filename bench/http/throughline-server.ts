// The Throughline server with default settings, on the given store.
import { serve } from '../../dist/server.js'

const { options } = JSON.parse(process.argv[2] ?? '{}')
const server = await serve({ port: 0, ...options })
process.send?.({ url: server.url })
process.once('disconnect', () => void server.close().finally(() => process.exit()))
