import type { FilePart, ImagePart } from './parts.ts'

/** Where the bytes of an image or a file are: behind an address, or here as base64. */
export type Source = { url: string } | { data: string; mediaType?: string }

const DATA_URL = /^data:([^;,]+);base64,/

/** The bytes of a part; a data URL counts as bytes. `undefined` for a file that is text, or that has neither. */
export function sourceOf({
  url,
  data,
  mediaType,
}: {
  url?: string
  data?: string
  mediaType?: string
}): Source | undefined {
  if (data !== undefined) return { data, ...(mediaType !== undefined && { mediaType }) }
  return url === undefined ? undefined : fromUrl(url)
}

/** An address, or the bytes that a data URL holds. */
export function fromUrl(url: string): Source {
  const [head, mediaType] = DATA_URL.exec(url) ?? []
  return head === undefined || mediaType === undefined ? { url } : { data: url.slice(head.length), mediaType }
}

/** One text for either: the address, a data URL, or bare base64 where the media type is not known. */
export function toUrl(source: Source): string {
  if ('url' in source) return source.url
  return source.mediaType === undefined ? source.data : `data:${source.mediaType};base64,${source.data}`
}

/** Whether a model should see this part as an image. */
export function isImage(part: ImagePart | FilePart): boolean {
  return part.type === 'image' || (part.mediaType ?? '').startsWith('image')
}

/** Media type of a file; the end of its name tells where nothing else does. */
export function mediaTypeOf(part: FilePart): string | undefined {
  const source = sourceOf(part)
  const given = part.mediaType ?? (source && 'mediaType' in source ? source.mediaType : undefined)
  return given ?? (part.filename?.toLowerCase().endsWith('.pdf') ? 'application/pdf' : undefined)
}

/** First characters of images in base64. */
const IMAGE_PREFIXES: Readonly<Record<string, string>> = {
  iVBOR: 'image/png',
  '/9j/': 'image/jpeg',
  R0lGOD: 'image/gif',
  UklGR: 'image/webp',
}

/** Media type of an image; its first bytes tell where the type is absent or says only that it is an image. */
export function imageType({ data, mediaType }: { data: string; mediaType?: string }): string {
  if (mediaType !== undefined && /^image\/[^*]/.test(mediaType)) return mediaType
  return Object.entries(IMAGE_PREFIXES).find(([beginning]) => data.startsWith(beginning))?.[1] ?? 'image/png'
}

/** The address of an image, or a data URL of it. */
export function imageUrl(source: Source): string {
  return 'url' in source ? source.url : `data:${imageType(source)};base64,${source.data}`
}
