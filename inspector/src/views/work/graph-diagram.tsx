import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Loading } from '../../parts/notes.tsx'
import css from './graph-diagram.module.css'
import { Legend, LineButton, Lines, NodeBox } from './graph-items.tsx'
import { type ArrowDirection, type Box, type GraphLayout, nearestBox } from './graph-layout.ts'
import { graphHref } from './links.tsx'

const ARROW_KEYS: Readonly<Record<string, ArrowDirection>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}
const ZOOM = { min: 0.2, max: 2, step: 1.25 }
const clampZoom = (scale: number) => Math.min(ZOOM.max, Math.max(ZOOM.min, scale))

interface Props {
  readonly id: string
  readonly layout: GraphLayout | undefined
  readonly center: string
  readonly title: (node: string) => string
  /** Key of the selected line. */
  readonly selected: string | undefined
  readonly onSelect: (key: string | undefined) => void
}

/** Nodes as links, relations as buttons between them. The Tab key stops once; the arrow keys move inside. */
export function GraphDiagram({ id, layout, center, title, selected, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [scale, setScale] = useState(1)
  const shown = useRef(scale)
  const [active, setActive] = useState<string>()
  const fitTo = (min: number) => {
    if (box.current === null || layout === undefined) return
    const { clientWidth } = box.current
    const height = Number.parseFloat(getComputedStyle(box.current).maxHeight) || clientWidth
    setScale(Math.max(min, Math.min(1, clientWidth / layout.width, min === ZOOM.min ? height / layout.height : 1)))
  }
  // a new center resets the view; a graph that only grew keeps the scroll position
  useLayoutEffect(() => {
    fitTo(0.85)
    setActive(undefined)
  }, [layout?.nodes[0]?.key])
  useEffect(() => scrollToCenter(box.current, layout?.nodes[0], shown.current), [layout?.nodes[0]?.key])
  // keeps the middle of the box in place while zooming
  useLayoutEffect(() => {
    const by = scale / shown.current
    shown.current = scale
    const { scrollLeft = 0, scrollTop = 0, clientWidth = 0, clientHeight = 0 } = box.current ?? {}
    const [x, y] = [clientWidth / 2, clientHeight / 2]
    box.current?.scrollTo((scrollLeft + x) * by - x, (scrollTop + y) * by - y)
  }, [scale])
  if (layout === undefined) return <Loading what="Drawing the graph" />

  const items: Box[] = [...layout.nodes, ...layout.lines]
  const stop = items.some(({ key }) => key === active) ? active : center
  const tab = (key: string) => (key === stop ? 0 : -1)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const way = ARROW_KEYS[event.key]
    const from = items.find(({ key }) => key === stop)
    if (way !== undefined && from !== undefined) {
      const next = nearestBox(from, items, way)
      if (next !== undefined) box.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(next.key)}"]`)?.focus()
    } else if (event.key === '+') setScale(clampZoom(scale * ZOOM.step))
    else if (event.key === '-') setScale(clampZoom(scale / ZOOM.step))
    else if (event.key === '0') fitTo(ZOOM.min)
    else if (event.key === 'Escape') onSelect(undefined)
    else return
    event.preventDefault()
  }
  return (
    <div class="box">
      <div class={css.bar}>
        <Legend nodes={layout.nodes} />
        <fieldset class={css.zoom}>
          <legend class="hidden">Zoom</legend>
          <Button look="small" text="−" onClick={() => setScale(clampZoom(scale / ZOOM.step))} aria-label="Zoom out" />
          <Button look="small" text="+" onClick={() => setScale(clampZoom(scale * ZOOM.step))} aria-label="Zoom in" />
          <Button look="small" text="Fit" onClick={() => fitTo(ZOOM.min)} />
        </fieldset>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: not a form; the keys move between its links and buttons */}
      <div
        class={css.box}
        ref={box}
        role="group"
        aria-label={`Graph of ${layout.nodes.length} nodes and ${layout.lines.length} edges. Arrow keys move between them; plus and minus zoom.`}
        onKeyDown={onKeyDown}
        onFocusIn={({ target }) => setActive((target as HTMLElement).dataset['item'])}
      >
        <div class={css.sized} style={{ width: `${layout.width * scale}px`, height: `${layout.height * scale}px` }}>
          <div
            class={css.drawing}
            style={{ width: `${layout.width}px`, height: `${layout.height}px`, transform: `scale(${scale})` }}
          >
            <Lines layout={layout} selected={selected} />
            {layout.lines.map((line) => (
              <LineButton
                key={line.key}
                line={line}
                title={title}
                tabIndex={tab(line.key)}
                isSelected={line.key === selected}
                onSelect={onSelect}
              />
            ))}
            {layout.nodes.map((one) => (
              <NodeBox
                key={one.key}
                box={one}
                href={graphHref(id, one.key)}
                name={title(one.key)}
                tabIndex={tab(one.key)}
                isCenter={one.key === center}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  )
}

function scrollToCenter(box: HTMLElement | null, node: Box | undefined, scale: number): void {
  if (box === null || node === undefined) return
  box.scrollTo(node.x * scale - box.clientWidth / 2, node.y * scale - box.clientHeight / 2)
}
