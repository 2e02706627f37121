import { leaveWhenAsked } from '../../src/cli/ending.ts'
import { outputTo } from '../../src/cli/output.ts'
import { importTranscripts } from '../../src/cli/transcripts/import.ts'

const { url, paths } = JSON.parse(process.argv[2] ?? '') as { url: string; paths: string[] }

leaveWhenAsked()
const output = outputTo(process.stdout, process.stderr, true)
process.exitCode = await importTranscripts(
  { paths, follow: true, user: 'ada' },
  { target: { url, explicit: true }, output },
)
