import { endChildren, endRun, isAlive } from './test-run.ts'

// waits until the process that started it ends, then ends what that process left behind

const [, , folder = '', owner = ''] = process.argv
for await (const _ of process.stdin);
if (isAlive(folder)) await endChildren(folder, Number(owner))
else await endRun(folder)
