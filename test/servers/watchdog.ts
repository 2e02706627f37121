import { setTimeout as delay } from 'node:timers/promises'
import { endChildren, endRun, isAlive, startedBy } from './test-run.ts'

// waits until the process that started it ends, then ends what that process left behind

const [, , folder = '', owner = ''] = process.argv
for await (const _ of process.stdin);
// the system closes the files of a dying process a moment before it reports it as ended
if (startedBy(folder) === Number(owner)) while (isAlive(folder)) await delay(5)
if (isAlive(folder)) await endChildren(folder, Number(owner))
else await endRun(folder)
