import { writeSync } from 'node:fs'
import { main } from '../../src/cli/main.ts'

// behind the report, the most memory that it ever held, in bytes
process.once('exit', () => writeSync(1, `${JSON.stringify({ rss: process.resourceUsage().maxRSS * 1024 })}\n`))
await main(JSON.parse(process.argv[2] ?? '[]') as string[])
