import { visible } from './visible.ts'

/** Markdown as elements: never as HTML, so nothing in it can do anything. */
export function Markdown({ text }: { text: string }) {
  return <p dir="auto">{visible(text)}</p>
}
