import { createParser } from 'eventsource-parser'

/** A server-sent event. */
export interface ServerEvent {
  /** `message` if the server gave no name. */
  event: string
  data: string
}

/** Returns a function that takes the next bytes of a stream, cut anywhere, and returns the events they complete. */
export function createEventParser(): (bytes: Uint8Array) => ServerEvent[] {
  const events: ServerEvent[] = []
  const parser = createParser({ onEvent: ({ event = 'message', data }) => void events.push({ event, data }) })
  const decoder = new TextDecoder()
  return (bytes) => {
    parser.feed(decoder.decode(bytes, { stream: true }))
    return events.splice(0)
  }
}
