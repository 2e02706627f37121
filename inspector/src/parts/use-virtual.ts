import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core'
import { useLayoutEffect, useReducer, useState } from 'preact/hooks'

export type VirtualList = Virtualizer<HTMLElement, HTMLElement>

type Options = Omit<
  VirtualizerOptions<HTMLElement, HTMLElement>,
  'scrollToFn' | 'observeElementRect' | 'observeElementOffset' | 'onChange'
>

/** A list that draws only the visible rows. The component is drawn again whenever others become visible. */
export function useVirtual(options: Options): VirtualList {
  const [, draw] = useReducer((round: number, _: undefined) => round + 1, 0)
  const all: VirtualizerOptions<HTMLElement, HTMLElement> = {
    ...options,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw(undefined),
  }
  const [virtual] = useState(() => new Virtualizer(all))
  virtual.setOptions(all)
  useLayoutEffect(() => virtual._didMount(), [])
  useLayoutEffect(() => virtual._willUpdate())
  return virtual
}
