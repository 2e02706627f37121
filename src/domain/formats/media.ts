import { defined } from '../optional.ts'
import type { FilePart, ImagePart } from './parts.ts'

/** The bytes of an image or file: a URL or base64. */
export type Source = { url: string } | { data: string; mediaType?: string }

const DATA_URL = /^data:([^;,]+);base64,/

/** Returns the source of a part; a data URL counts as base64. `undefined` for a text file or without either. */
export function sourceOf({
  url,
  data,
  mediaType,
}: {
  url?: string
  data?: string
  mediaType?: string
}): Source | undefined {
  if (data !== undefined) return defined({ data, mediaType })
  return url === undefined ? undefined : fromUrl(url)
}

/** Parses a URL or data URL. */
export function fromUrl(url: string): Source {
  const [head, mediaType] = DATA_URL.exec(url) ?? []
  return head === undefined || mediaType === undefined ? { url } : { data: url.slice(head.length), mediaType }
}

/** Returns the URL, a data URL, or bare base64 without a known media type. */
export function toUrl(source: Source): string {
  if ('url' in source) return source.url
  return source.mediaType === undefined ? source.data : `data:${source.mediaType};base64,${source.data}`
}

/** Whether a model should see this part as an image. */
export function isImage(part: ImagePart | FilePart): boolean {
  return part.type === 'image' || (part.mediaType ?? '').startsWith('image')
}

/** Returns the media type of a file, by its name if nothing else tells. */
export function mediaTypeOf(part: FilePart): string | undefined {
  const source = sourceOf(part)
  const given = part.mediaType ?? (source && 'mediaType' in source ? source.mediaType : undefined)
  return given ?? (part.filename?.toLowerCase().endsWith('.pdf') ? 'application/pdf' : undefined)
}

/** First base64 characters of each image type. */
const IMAGE_PREFIXES: Readonly<Record<string, string>> = {
  iVBOR: 'image/png',
  '/9j/': 'image/jpeg',
  R0lGOD: 'image/gif',
  UklGR: 'image/webp',
}

/** Returns the media type of an image, by its first bytes if the type is absent or generic. */
export function imageType({ data, mediaType }: { data: string; mediaType?: string }): string {
  if (mediaType !== undefined && /^image\/[^*]/.test(mediaType)) return mediaType
  return Object.entries(IMAGE_PREFIXES).find(([beginning]) => data.startsWith(beginning))?.[1] ?? 'image/png'
}

/** Returns an image's URL or data URL. */
export function imageUrl(source: Source): string {
  return 'url' in source ? source.url : `data:${imageType(source)};base64,${source.data}`
}
