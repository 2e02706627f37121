import type { JsonObject } from '../json.ts'
import { fromUrl, imageUrl, isImage, mediaTypeOf, sourceOf, toUrl } from './media.ts'
import type { Part } from './parts.ts'
import { type InputObject, optionalText, requireText } from './read-input.ts'

/** Reads one content block of an OpenAI responses item. */
export function readContent(place: InputObject): Part {
  const { value } = place
  switch (value.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: requireText(place, 'text') }
    case 'refusal':
      return { type: 'text', text: requireText(place, 'refusal') }
    case 'input_image': {
      const url = optionalText(place, 'image_url')
      return url === undefined ? { type: 'native', value } : { type: 'image', ...fromUrl(url) }
    }
    case 'input_file': {
      const data = optionalText(place, 'file_data')
      const url = optionalText(place, 'file_url')
      if (data === undefined && url === undefined) return { type: 'native', value }
      const name = optionalText(place, 'filename')
      const source = data === undefined ? { url: url ?? '' } : fromUrl(data)
      const found = data !== undefined && 'url' in source ? { data } : source
      return { type: 'file', ...found, ...(name !== undefined && { filename: name }) }
    }
    default:
      return { type: 'native', value }
  }
}

/** Writes one piece as a content block, or nothing if the format has no such block. */
export function writeContent(piece: Part, textType: 'input_text' | 'output_text'): JsonObject[] {
  switch (piece.type) {
    case 'text':
      return [{ type: textType, text: piece.text ?? '', ...(textType === 'output_text' && { annotations: [] }) }]
    case 'native':
      return [piece.value]
    case 'image':
    case 'file': {
      if (piece.type === 'file' && piece.text !== undefined) return [{ type: textType, text: piece.text }]
      const source = sourceOf(piece)
      if (source === undefined) return []
      if (isImage(piece)) return [{ type: 'input_image', image_url: imageUrl(source), detail: 'auto' }]
      const { filename, ...file } = { filename: undefined, ...(piece as Extract<Part, { type: 'file' }>) }
      const mediaType = mediaTypeOf(file)
      if (mediaType?.startsWith('audio/')) return []
      const name = filename === undefined ? {} : { filename }
      if ('url' in source) return [{ type: 'input_file', file_url: source.url, ...name }]
      return [{ type: 'input_file', file_data: toUrl(source), ...name }]
    }
    default:
      return []
  }
}
