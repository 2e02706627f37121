import { isObject, type Json, type JsonObject } from '../json.ts'
import { defined } from '../optional.ts'
import { toInput } from './arguments.ts'
import { imageType, isImage, sourceOf } from './media.ts'
import type { FilePart, ImagePart, Part, WritableMessage } from './parts.ts'
import { decodeUrl, encodeUrl } from './plain-json.ts'
import { type InputObject, optionalText, requireText } from './read-input.ts'

const ADDRESS = /^(https?|data):/i

/** Reads a part of a user or assistant message, except calls. */
export function readPart(place: InputObject): Part {
  const { value } = place
  switch (value.type) {
    case 'text':
      return { type: 'text', text: requireText(place, 'text') }
    case 'image': {
      const found = readData(value.image)
      if (found === undefined || found.text !== undefined) return { type: 'native', value }
      return { type: 'image', ...found, ...mediaType(place) }
    }
    case 'file': {
      const found = readData(value.data)
      if (found === undefined) return { type: 'native', value }
      return { type: 'file', ...found, ...mediaType(place), ...filename(place) }
    }
    default:
      return { type: 'native', value }
  }
}

/** Reads a part of a tool's output. */
export function readOutputPart(place: InputObject): Part {
  const { value } = place
  switch (value.type) {
    case 'text':
    case 'file':
      return readPart(place)
    case 'image-data':
      return { type: 'image', data: requireText(place, 'data'), mediaType: requireText(place, 'mediaType') }
    case 'image-url':
      return { type: 'image', url: requireText(place, 'url') }
    case 'file-data':
      return {
        type: 'file',
        data: requireText(place, 'data'),
        mediaType: requireText(place, 'mediaType'),
        ...filename(place),
      }
    case 'file-url':
      return { type: 'file', url: requireText(place, 'url'), ...mediaType(place) }
    default:
      return { type: 'native', value }
  }
}

/** Writes the pieces of a user or assistant message. */
export function writeParts({ pieces, calls }: WritableMessage): JsonObject[] {
  return pieces.flatMap((piece): JsonObject[] => {
    switch (piece.type) {
      case 'text':
        return [{ type: 'text', text: piece.text ?? '' }]
      case 'native':
        return [piece.value]
      case 'image':
        return writeImage(piece)
      case 'file':
        return writeFile(piece)
      case 'call': {
        const call = calls[piece.call]
        if (call === undefined) return []
        return [{ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: toInput(call.arguments, 'any') }]
      }
      default:
        return []
    }
  })
}

/** Writes the pieces of a tool's output. */
export function writeOutputParts(pieces: readonly Part[]): JsonObject[] {
  return pieces.flatMap((piece): JsonObject[] => {
    switch (piece.type) {
      case 'text':
        return [{ type: 'text', text: piece.text ?? '' }]
      case 'native':
        return [piece.value]
      case 'image':
      case 'file':
        return writeOutputMedia(piece)
      default:
        return []
    }
  })
}

function writeImage({ url, data, mediaType }: ImagePart): JsonObject[] {
  const image = data ?? url
  return image === undefined ? [] : [defined({ type: 'image', image, mediaType })]
}

function writeFile(piece: FilePart): JsonObject[] {
  const data = fileData(piece)
  if (data === undefined) return []
  const name = piece.filename === undefined ? {} : { filename: piece.filename }
  return [{ type: 'file', data, mediaType: typeOf(piece), ...name }]
}

function fileData({ url, data, text: content, tagged }: FilePart): Json | undefined {
  if (content !== undefined) return { type: 'text', text: content }
  if (data !== undefined) return tagged ? { type: 'data', data } : data
  if (url === undefined) return undefined
  return tagged ? { type: 'url', url: encodeUrl(url) } : url
}

function typeOf({ mediaType, url, text: content }: FilePart): string {
  return mediaType ?? (content !== undefined ? 'text/plain' : url !== undefined ? 'application/pdf' : OCTETS)
}

const OCTETS = 'application/octet-stream'

function writeOutputMedia(piece: ImagePart | FilePart): JsonObject[] {
  if (piece.type === 'file' && piece.tagged) return writeFile(piece)
  if (piece.type === 'file' && piece.text !== undefined) return [{ type: 'text', text: piece.text }]
  const source = sourceOf(piece)
  if (source === undefined) return []
  if (piece.type === 'image' || (isImage(piece) && !piece.filename)) {
    if ('url' in source) return [{ type: 'image-url', url: source.url }]
    return [{ type: 'image-data', data: source.data, mediaType: piece.mediaType ?? imageType(source) }]
  }
  const type = piece.mediaType === undefined ? {} : { mediaType: piece.mediaType }
  if ('url' in source) return [{ type: 'file-url', url: source.url, ...type }]
  const name = piece.filename === undefined ? {} : { filename: piece.filename }
  return [{ type: 'file-data', data: source.data, mediaType: source.mediaType ?? OCTETS, ...name }]
}

/** Reads the data of a part; `undefined` for a provider's own reference. */
function readData(data: Json | undefined): Omit<FilePart, 'type'> | undefined {
  if (typeof data === 'string') return ADDRESS.test(data) ? { url: data } : { data }
  const address = decodeUrl(data)
  if (address !== undefined) return { url: address }
  if (!isObject(data)) return undefined
  const url = decodeUrl(data.url)
  if (data.type === 'url' && url !== undefined) return { url, tagged: true }
  if (data.type === 'data' && typeof data.data === 'string') return { data: data.data, tagged: true }
  return data.type === 'text' && typeof data.text === 'string' ? { text: data.text } : undefined
}

function mediaType(place: InputObject): { mediaType?: string } {
  const found = optionalText(place, 'mediaType')
  return found === undefined ? {} : { mediaType: found }
}

function filename(place: InputObject): { filename?: string } {
  const found = optionalText(place, 'filename')
  return found === undefined ? {} : { filename: found }
}
