import { z } from 'zod'
import type { RunRecord } from '../../api.ts'
import { command } from '../command.ts'
import { PARTIAL_ID_TENANT, tenant } from '../option-schemas.ts'
import type { Output, Style } from '../output.ts'
import { findSession } from '../session/find-session.ts'
import { renderTable } from '../table.ts'
import { withStore } from '../target.ts'
import { toOneLine } from '../text.ts'
import { formatDuration, formatUtc } from '../time-format.ts'

const MAX_NOTE_WIDTH = 200
const WORKER_WIDTH = 24

type Outcome = NonNullable<RunRecord['outcome']> | 'live'

const OUTCOME_STYLE: Readonly<Record<Outcome, Style>> = {
  live: 'green',
  completed: 'dim',
  failed: 'red',
  cancelled: 'yellow',
  interrupted: 'magenta',
  lost: 'red',
}

export const runsCommand = command({
  usage: 'runs <session>',
  summary: 'list the runs of a session, newest first',
  more: [
    'A run is one worker’s stretch of work on a session. A live run shows no end; if',
    'its lease has expired, the next run takes over and it counts as lost.',
    '',
    'Lists up to 250 runs. --json prints {"items":[…]}.',
    '',
    'Example: throughline runs 0198c0de-5f0a-7c3e-8a51-3f1d2b4c6e70',
  ].join('\n'),
  options: [PARTIAL_ID_TENANT],
  input: z.strictObject({ session: z.string(), tenant }),

  async run(options, { target, output }) {
    await withStore(target, async (tl) => {
      const session = await findSession(tl, options.session, options.tenant)
      const items = await session.runs()
      output.print(items.length === 0 ? 'No runs.' : formatRuns(items, Date.now(), output), { items })
    })
  },
})

function formatRuns(runs: readonly RunRecord[], now: number, { paint }: Output): string {
  const outcomeOf = ({ outcome }: RunRecord): Outcome => outcome ?? 'live'
  return renderTable(runs, [
    { title: 'run', value: ({ generation }) => String(generation), align: 'right' },
    { title: 'worker', value: ({ worker }) => worker ?? '', maxWidth: WORKER_WIDTH },
    { title: 'started', value: ({ startedAt }) => formatUtc(startedAt) },
    {
      title: 'took',
      value: ({ startedAt, finishedAt }) =>
        formatDuration((finishedAt === undefined ? now : Date.parse(finishedAt)) - Date.parse(startedAt)),
      align: 'right',
    },
    { title: 'outcome', value: outcomeOf, paint: (text, run) => paint(OUTCOME_STYLE[outcomeOf(run)], text) },
    { title: 'note', value: ({ note = '' }) => toOneLine(note, MAX_NOTE_WIDTH) },
  ])
}
