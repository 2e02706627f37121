import { useCallback, useState } from 'preact/hooks'
import type { NoiseEntry, OpenGroups, StepsEntry } from './grouped-rows.ts'

/** A row that stands for several events. */
export type Group = StepsEntry | NoiseEntry

/** The open groups, and how to open and close one. */
export interface Groups {
  readonly open: OpenGroups
  readonly toggle: (group: Group) => void
}

const NONE: OpenGroups = { steps: new Set(), noise: new Set() }

/** Remembers which groups are open. The event that the address names is never hidden when the reader goes to it. */
export function useGroups(named: number | undefined, round: number): Groups {
  const [{ open, goal }, set] = useState<{ open: OpenGroups; goal: string }>({ open: NONE, goal: '' })
  const now = named === undefined ? '' : `${named} ${round}`
  const shown = now !== goal && named !== undefined ? withEvent(open, named) : open
  // in this render already, so that the list scrolls to the event and not to its group
  if (now !== goal) set({ open: shown, goal: now })
  const toggle = useCallback((group: Group) => set((before) => ({ ...before, open: toggled(before.open, group) })), [])
  return { open: shown, toggle }
}

function withEvent({ steps, noise }: OpenGroups, sequence: number): OpenGroups {
  return { steps: new Set([...steps, sequence]), noise: new Set([...noise, sequence]) }
}

function toggled(open: OpenGroups, { kind, from, to, isOpen }: Group): OpenGroups {
  const sequences = open[kind]
  const next = isOpen ? [...sequences].filter((one) => one < from || one > to) : [...sequences, from]
  return { ...open, [kind]: new Set(next) }
}
