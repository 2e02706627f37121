import type { LifecycleCommandName, SessionState } from '../../api/types.ts'
import type { StepKind } from './path.ts'

/** A state's box, by its top left corner. */
export interface NodeLayout {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A step's line, which ends at its arrow, and the position of its label. */
export interface EdgeLayout {
  readonly line: string
  readonly x: number
  readonly y: number
  readonly anchor: 'start' | 'middle' | 'end'
}

/** Positions in the diagram, chosen by hand: the machine is small and fixed. */
export interface DiagramLayout {
  readonly width: number
  readonly height: number
  /** The frame around the live states: steps that start at its border are allowed in all of them. */
  readonly live: NodeLayout
  readonly start: { readonly x: number; readonly y: number }
  readonly states: Readonly<Record<SessionState, NodeLayout>>
  readonly steps: Readonly<Record<LifecycleCommandName | 'create', EdgeLayout>>
}

/** Whether the diagram has a line for the step. */
export const isDrawn = (kind: StepKind | undefined): kind is LifecycleCommandName | 'create' =>
  kind !== undefined && kind !== 'fork'

/** For wide windows: states side by side. */
export const WIDE: DiagramLayout = {
  width: 900,
  height: 322,
  live: { x: 60, y: 8, width: 528, height: 306 },
  start: { x: 24, y: 165 },
  states: {
    running: { x: 84, y: 40, width: 128, height: 250 },
    awaiting_user: { x: 412, y: 48, width: 152, height: 54 },
    interrupted: { x: 412, y: 138, width: 152, height: 54 },
    pending_complete: { x: 412, y: 228, width: 152, height: 54 },
    aborted: { x: 740, y: 48, width: 152, height: 54 },
    complete: { x: 740, y: 228, width: 152, height: 54 },
  },
  steps: {
    create: { line: 'M30 165H82', x: 0, y: 0, anchor: 'middle' },
    ask: { line: 'M212 65H410', x: 312, y: 58, anchor: 'middle' },
    answer: { line: 'M412 85H214', x: 312, y: 101, anchor: 'middle' },
    interrupt: { line: 'M212 155H410', x: 312, y: 148, anchor: 'middle' },
    incorporate: { line: 'M412 175H214', x: 312, y: 191, anchor: 'middle' },
    propose: { line: 'M212 245H410', x: 312, y: 238, anchor: 'middle' },
    continueWith: { line: 'M412 265H214', x: 312, y: 281, anchor: 'middle' },
    abort: { line: 'M588 75H738', x: 663, y: 68, anchor: 'middle' },
    end: { line: 'M588 165H804Q816 165 816 177V226', x: 663, y: 158, anchor: 'middle' },
    confirm: { line: 'M564 255H738', x: 663, y: 248, anchor: 'middle' },
  },
}

/** For phones: states below each other. */
export const TALL: DiagramLayout = {
  width: 328,
  height: 422,
  live: { x: 2, y: 30, width: 324, height: 290 },
  start: { x: 42, y: 9 },
  states: {
    running: { x: 10, y: 50, width: 64, height: 250 },
    awaiting_user: { x: 196, y: 58, width: 122, height: 48 },
    interrupted: { x: 196, y: 151, width: 122, height: 48 },
    pending_complete: { x: 196, y: 244, width: 122, height: 48 },
    aborted: { x: 8, y: 368, width: 114, height: 46 },
    complete: { x: 166, y: 368, width: 154, height: 46 },
  },
  steps: {
    create: { line: 'M42 15V48', x: 0, y: 0, anchor: 'middle' },
    ask: { line: 'M74 73H194', x: 135, y: 66, anchor: 'middle' },
    answer: { line: 'M196 91H76', x: 135, y: 107, anchor: 'middle' },
    interrupt: { line: 'M74 166H194', x: 135, y: 159, anchor: 'middle' },
    incorporate: { line: 'M196 184H76', x: 135, y: 200, anchor: 'middle' },
    propose: { line: 'M74 259H194', x: 135, y: 252, anchor: 'middle' },
    continueWith: { line: 'M196 277H76', x: 135, y: 293, anchor: 'middle' },
    abort: { line: 'M62 320V366', x: 70, y: 348, anchor: 'start' },
    end: { line: 'M186 320V366', x: 194, y: 348, anchor: 'start' },
    confirm: { line: 'M240 292V366', x: 248, y: 348, anchor: 'start' },
  },
}
