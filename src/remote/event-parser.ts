/** A server-sent event. */
export interface ServerEvent {
  /** `message` where the server gave no name. */
  event: string
  data: string
}

/**
 * Reads server-sent events from bytes, however they are cut. The rules are those of the HTML standard: lines end with CR, LF or both, lines of
 * data are joined, comments and unknown fields are passed over, and an event counts once the blank line behind it has come.
 */
export class EventReader {
  readonly #decoder = new TextDecoder()
  /** What has come of the line that is not whole yet. */
  #line = ''
  /** The last line ended with CR: an LF that comes first belongs to it. */
  #skipsLineFeed = false
  #event = ''
  #data: string[] = []

  /** Takes bytes, and gives the events that they complete. */
  read(bytes: Uint8Array): ServerEvent[] {
    const events: ServerEvent[] = []
    const text = this.#decoder.decode(bytes, { stream: true })
    let from = this.#skipsLineFeed && text.startsWith('\n') ? 1 : 0
    if (text !== '') this.#skipsLineFeed = false
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
      if (index < from) continue
      // what came before is joined once for each line, however many pieces it came in
      this.#take(this.#line + text.slice(from, index), events)
      this.#line = ''
      from = index + end.length
    }
    this.#line += text.slice(from)
    this.#skipsLineFeed = this.#skipsLineFeed || text.endsWith('\r')
    return events
  }

  #take(line: string, events: ServerEvent[]): void {
    if (line === '') {
      if (this.#data.length > 0) events.push({ event: this.#event || 'message', data: this.#data.join('\n') })
      this.#event = ''
      this.#data = []
      return
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') this.#data.push(value)
    if (field === 'event') this.#event = value
  }
}
