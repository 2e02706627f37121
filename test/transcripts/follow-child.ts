import { createOutput } from '../../src/cli/output.ts'
import { exitOnSignals } from '../../src/cli/signals.ts'
import { importTranscripts } from '../../src/cli/transcripts/import-transcripts.ts'

const { url, paths } = JSON.parse(process.argv[2] ?? '') as { url: string; paths: string[] }

exitOnSignals()
const output = createOutput(process.stdout, process.stderr, true)
process.exitCode = await importTranscripts(
  { from: 'claude-code', paths, follow: true, user: 'ada' },
  { target: { url, explicit: true }, output },
)
