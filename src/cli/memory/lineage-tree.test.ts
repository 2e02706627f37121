import { afterEach, beforeEach, expect, it } from 'vitest'
import { createOutput } from '../output.ts'
import type { TracedEntry } from './lineage.ts'
import { formatLineage } from './lineage-tree.ts'

const { COLUMNS } = process.env
beforeEach(() => {
  process.env['COLUMNS'] = '60'
})
afterEach(() => {
  if (COLUMNS === undefined) delete process.env['COLUMNS']
  else process.env['COLUMNS'] = COLUMNS
})

const output = {
  ...createOutput(process.stdout, process.stderr, false),
  paint: (_: unknown, text: string) => `<${text}>`,
}
const at = '2026-01-01T00:00:00.000Z'
const session = { sessionId: 's-1', from: 3, to: 9 }

it('draws the entries of a lineage with their events', () => {
  const lineage: TracedEntry[] = [
    {
      relation: 'origin',
      at,
      sourceType: 'implicit',
      confidence: 0.8,
      ...session,
      events: [
        {
          sequence: 3,
          type: 'user_message',
          role: 'user',
          content: 'I want tabs,\nnot \u001b[2Jspaces, in every file of mine',
        },
        { sequence: 4, type: 'tool_call', role: 'assistant', content: '' },
      ],
      more: 5,
    },
    { relation: 'corroborates', at, source: 'import:a.jsonl' },
    { relation: 'corroborates', at, sessionId: 's-2', from: 4, to: 4, source: 'tool:web' },
    { relation: 'contradicts', at, sessionId: 's-3', events: [] },
    { relation: 'contradicts', at },
  ]
  expect(formatLineage(lineage, output).split('\n')).toEqual([
    `├─ origin, ${at}, implicit, confidence 0…`,
    '│  └─ session s-1, events 3 to 9',
    '│     ├─ 3 user_message: I want tabs, not �[2Jspaces, in ev…',
    '│     ├─ 4 tool_call',
    '│     └─ and 5 more events',
    `├─ corroborates, ${at}`,
    '│  └─ source import:a.jsonl',
    `├─ corroborates, ${at}`,
    '│  ├─ session s-2, event 4 (deleted)',
    '│  └─ source tool:web',
    `<├─ contradicts, ${at}>`,
    '│  └─ session s-3',
    `<└─ contradicts, ${at}>`,
  ])
})
