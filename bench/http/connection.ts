import { connect, type Socket } from 'node:net'

/** A keep-alive connection with one request at a time, which costs the measuring process as little as possible. */
export interface Connection {
  send(request: Buffer): Promise<{ status: number; body: string }>
  close(): void
}

export async function connectTo(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let answered: (answer: { status: number; body: string }) => void = () => {}
  let failed: (error: Error) => void = () => {}
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = rest.toString('latin1', 0, end)
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (rest.length < end + 4 + length) return
    const answer = { status: Number(head.slice(9, 12)), body: rest.toString('utf8', end + 4, end + 4 + length) }
    rest = rest.subarray(end + 4 + length)
    answered(answer)
  })
  socket.on('error', (error) => failed(error))
  socket.on('close', () => failed(new Error('the server closed the connection')))
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        answered = resolve
        failed = reject
        socket.write(request)
      }),
    close() {
      failed = () => {}
      socket.destroy()
    },
  }
}

/** The bytes of a request. */
export function requestOf(method: string, path: string, body?: unknown): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body)
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...(text === '' ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`)
}
