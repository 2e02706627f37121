import { useLayoutEffect } from 'preact/hooks'

/** Name of the highlight in `event-list.module.css`. */
const NAME = 'found'
/** Most places that are marked. */
const MOST = 500

/** Marks the text wherever it is drawn in the element, without changing the elements. */
export function useHighlights(box: { readonly current: HTMLElement | null }, text: string): void {
  useLayoutEffect(() => {
    // Firefox before 140 has no highlights
    if (!('highlights' in CSS)) return
    const ranges = text === '' || box.current === null ? [] : rangesIn(box.current, text.toLowerCase())
    if (ranges.length > 0) CSS.highlights.set(NAME, new Highlight(...ranges))
    else CSS.highlights.delete(NAME)
  })
  useLayoutEffect(() => () => void ('highlights' in CSS && CSS.highlights.delete(NAME)), [])
}

function rangesIn(box: HTMLElement, text: string): Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null && ranges.length < MOST; node = walker.nextNode()) {
    const own = (node.nodeValue ?? '').toLowerCase()
    // few letters change their length: better no mark than one beside the word
    if (own.length !== node.nodeValue?.length) continue
    for (let at = own.indexOf(text); at >= 0 && ranges.length < MOST; at = own.indexOf(text, at + text.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + text.length)
      ranges.push(range)
    }
  }
  return ranges
}
