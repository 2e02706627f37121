import type { Kind } from '../table.ts'

/** A bar without a value says why. */
export interface Bar {
  name: string
  kind: Kind
  value?: number
  text: string
}

export interface Panel {
  title: string
  bars: readonly Bar[]
}

export interface Chart {
  title: string
  panels: readonly Panel[]
  /** Machine and date. */
  small: string
}

const WIDTH = 760
const LEFT = 250
const RIGHT = 150
const BAR = 14
const STEP = 20

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 15px; font-weight: 600; }
  .panel { font-weight: 600; }
  .small, .empty { fill: #59636e; font-size: 11px; }
  .axis { stroke: #d1d9e0; }
  .throughline { fill: #0969da; }
  .raw { fill: #818b98; }
  .limit { fill: #afb8c1; }
  .peer { fill: #bc7c1c; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .small, .empty { fill: #9198a1; }
    .axis { stroke: #3d444d; }
    .throughline { fill: #4493f8; }
    .raw { fill: #656c76; }
    .limit { fill: #424a53; }
    .peer { fill: #d29922; }
  }`

/** Horizontal bars, a panel per line; a logarithmic scale if the longest is more than 30 times the shortest. */
export function drawChart({ title, panels, small }: Chart): string {
  const parts: string[] = [text(0, 18, title, 'title')]
  let y = 34
  for (const panel of panels) {
    const scale = scaleOf(panel.bars)
    y += 16
    parts.push(text(0, y, `${panel.title}${scale.log ? ', powers of ten' : ''}`, 'panel'))
    y += 8
    parts.push(`<line class="axis" x1="${LEFT}" x2="${LEFT}" y1="${y}" y2="${y + panel.bars.length * STEP}"/>`)
    for (const bar of panel.bars) {
      const middle = y + STEP / 2
      const width = bar.value === undefined ? 0 : scale.of(bar.value)
      parts.push(text(LEFT - 8, middle + 4, bar.name, '', 'end'))
      if (width > 0)
        parts.push(
          `<rect class="${bar.kind}" x="${LEFT}" y="${middle - BAR / 2}" width="${width.toFixed(1)}" height="${BAR}"/>`,
        )
      parts.push(text(LEFT + width + 6, middle + 4, bar.text, bar.value === undefined ? 'empty' : ''))
      y += STEP
    }
  }
  parts.push(text(0, y + 22, small, 'small'))
  const box = `0 0 ${WIDTH} ${y + 30}`
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" width="${WIDTH}" role="img" aria-label="${escaped(title)}">`
  return `${[head, `<style>${STYLE}</style>`, ...parts, '</svg>'].join('\n')}\n`
}

function scaleOf(bars: readonly Bar[]): { log: boolean; of(value: number): number } {
  const values = bars.flatMap(({ value }) => (value === undefined || value <= 0 ? [] : [value]))
  const most = Math.max(...values)
  const least = Math.min(...values)
  const room = WIDTH - LEFT - RIGHT
  if (values.length === 0 || most <= 30 * least) return { log: false, of: (value) => (room * value) / most }
  // starts a power of ten below the shortest, so that it has a length
  const from = Math.floor(Math.log10(least)) - 0.5
  return { log: true, of: (value) => (room * (Math.log10(value) - from)) / (Math.log10(most) - from) }
}

function text(x: number, y: number, content: string, name: string, anchor = 'start'): string {
  const attributes = `${name === '' ? '' : ` class="${name}"`}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}`
  return `<text x="${x.toFixed(0)}" y="${y.toFixed(0)}"${attributes}>${escaped(content)}</text>`
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
