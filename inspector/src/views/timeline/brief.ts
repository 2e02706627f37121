import type { Json, JsonObject } from '../../api/types.ts'

/** A text as it is, anything else as JSON; only as much of it as fits, so that it costs little however large the value is. */
export function brief(value: Json | undefined, most = 200): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return cut(value, most)
  const room = { left: most }
  return cut(written(value, room), most)
}

/** Characters that there is still room for. */
interface Room {
  left: number
}

function written(value: Json, room: Room): string {
  if (room.left <= 0) return '…'
  if (typeof value === 'string') return taken(JSON.stringify(cut(value, room.left)), room)
  if (typeof value !== 'object' || value === null) return taken(String(value), room)
  return Array.isArray(value) ? listed(value, room) : keyed(value as JsonObject, room)
}

function listed(list: readonly Json[], room: Room): string {
  const pieces: string[] = []
  for (const item of list) {
    pieces.push(room.left > 0 ? written(item, room) : '…')
    room.left -= 2
    if (pieces.at(-1) === '…') break
  }
  return `[${pieces.join(', ')}]`
}

function keyed(object: JsonObject, room: Room): string {
  const pieces: string[] = []
  for (const key in object) {
    if (room.left <= 0) {
      pieces.push('…')
      break
    }
    pieces.push(`${taken(cut(key, room.left), room)}: ${written(object[key] ?? null, room)}`)
    room.left -= 2
  }
  return pieces.length === 0 ? '{}' : `{ ${pieces.join(', ')} }`
}

function taken(text: string, room: Room): string {
  room.left -= text.length
  return text
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}
