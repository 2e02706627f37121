import type { Json, JsonObject } from '../json.ts'
import { toInput } from './arguments.ts'
import { imageType, isImage, mediaTypeOf, sourceOf } from './media.ts'
import type { FilePart, ImagePart, Part, WritableMessage } from './parts.ts'
import { type InputObject, requireText } from './read-input.ts'

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** Reads an Anthropic block, except calls and results. */
export function readBlock(place: InputObject): Part {
  const { value } = place
  if (value.type === 'text') return { type: 'text', text: requireText(place, 'text') }
  const known = value.type === 'image' || value.type === 'document' ? readSource(value.source as JsonObject) : undefined
  if (known === undefined) return { type: 'native', value }
  if (value.type === 'image') return known.text === undefined ? { type: 'image', ...known } : { type: 'native', value }
  return { type: 'file', ...known, ...(typeof value.title === 'string' && { filename: value.title }) }
}

function readSource(
  source: JsonObject,
): { url?: string; data?: string; text?: string; mediaType?: string } | undefined {
  const { type, url, data, media_type: mediaType } = source ?? {}
  if (type === 'url' && typeof url === 'string') return { url }
  if (typeof data !== 'string' || typeof mediaType !== 'string') return undefined
  if (type === 'base64') return { data, mediaType }
  return type === 'text' ? { text: data, mediaType } : undefined
}

/** Writes pieces as blocks. The API refuses blank text, so it is only written back to its own format. */
export function writeBlocks({ pieces, calls, own, pieced }: WritableMessage): JsonObject[] {
  return pieces.flatMap((piece): JsonObject[] => {
    switch (piece.type) {
      case 'text': {
        const said = piece.text ?? ''
        return (own && pieced) || said.trim() !== '' ? [{ type: 'text', text: said }] : []
      }
      case 'call': {
        const call = calls[piece.call]
        if (call === undefined) return []
        return [{ type: 'tool_use', id: call.id, name: call.name, input: toInput(call.arguments, 'object') }]
      }
      case 'native':
        return [piece.value]
      case 'image':
      case 'file':
        return own || isKnown(piece) ? writeMedia(piece) : []
      default:
        return []
    }
  })
}

/** Whether the API accepts the image or file. */
function isKnown(piece: ImagePart | FilePart): boolean {
  if (piece.type === 'file' && piece.text !== undefined) return piece.text.trim() !== ''
  const source = sourceOf(piece)
  if (source === undefined) return false
  if (isImage(piece)) return 'url' in source || IMAGES.includes(imageType(source))
  const mediaType = mediaTypeOf(piece as FilePart)
  return mediaType === 'application/pdf' || ('url' in source && mediaType === undefined)
}

function writeMedia(piece: ImagePart | FilePart): JsonObject[] {
  const source = sourceOf(piece)
  if (source !== undefined && isImage(piece)) {
    if ('url' in source) return [{ type: 'image', source: { type: 'url', url: source.url } }]
    return [{ type: 'image', source: base64(source.data, imageType(source)) }]
  }
  const title: JsonObject = 'filename' in piece && piece.filename !== undefined ? { title: piece.filename } : {}
  if ('text' in piece && piece.text !== undefined) {
    return [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: piece.text }, ...title }]
  }
  if (source === undefined) return []
  if ('url' in source) return [{ type: 'document', source: { type: 'url', url: source.url }, ...title }]
  return [
    { type: 'document', source: base64(source.data, mediaTypeOf(piece as FilePart) ?? 'application/pdf'), ...title },
  ]
}

function base64(data: string, mediaType: string): Json {
  return { type: 'base64', media_type: mediaType, data }
}
