import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { TooLargeError, ValidationError } from '../domain/errors.ts'
import type { Visit } from './admission.ts'

/** The body of a request as it comes, no more than the limit of it; `undefined` if it is empty. */
export function readBody(stream: IncomingMessage, limit: number, visit: Visit, done: Done): void {
  const announced = Number(stream.headers['content-length'] ?? 0)
  if (announced > limit) {
    done(new TooLargeError({ field: 'body', limit, actual: announced }))
    return
  }
  const chunks: Buffer[] = []
  let size = 0
  const end = (error: Error | null, body?: unknown) => {
    stream.off('data', take).off('end', finish).off('error', gone)
    done(error, body)
  }
  const gone = (cause: Error) => end(new ValidationError('body', 'must come whole', { cause }))
  const take = (chunk: Buffer) => {
    size += chunk.length
    try {
      if (size > limit) throw new TooLargeError({ field: 'body', limit, actual: size })
      visit.carry(chunk.length)
      chunks.push(chunk)
    } catch (error) {
      end(error as Error)
    }
  }
  const finish = () => {
    try {
      end(null, parsed(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    } catch (error) {
      end(error as Error)
    }
  }
  stream.on('data', take).on('end', finish).on('error', gone)
}

type Done = (error: Error | null, body?: unknown) => void

/** Keys such as `__proto__` become plain keys, which the operations refuse by their field. */
function parsed(body: Buffer): unknown {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw new ValidationError('body', 'must be UTF-8')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (cause) {
    throw new ValidationError('body', 'must be JSON', { cause })
  }
}
