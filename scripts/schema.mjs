// Writes schemas/session-envelope.json from the zod schema that validates envelopes.
import { mkdirSync, writeFileSync } from 'node:fs'
import { envelopeJsonSchema } from '../src/features/envelope/schema.ts'

const folder = new URL('../schemas/', import.meta.url)
mkdirSync(folder, { recursive: true })
writeFileSync(new URL('session-envelope.json', folder), `${JSON.stringify(envelopeJsonSchema(), null, 2)}\n`)
