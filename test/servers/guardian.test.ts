import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { proving } from '../proof.ts'
import { startChild } from './child.ts'
import { isRunning } from './guardian.ts'

interface Started {
  pid: number
  folder: string
}

it('ends the servers of a process that was killed, also one that is stopped, and removes their folders', async () => {
  const child = startChild(new URL('guardian-child.ts', import.meta.url), { postgres: proving })
  await child.printed(proving ? 4 : 3)
  const servers = child.lines.filter((line): line is Started => line !== 'ready')
  expect(servers.filter(runs)).toHaveLength(servers.length)

  child.kill()
  await child.done
  await expect.poll(() => servers.filter(runs), { timeout: 20_000 }).toEqual([])
  await expect.poll(() => servers.filter(({ folder }) => existsSync(folder)), { timeout: 20_000 }).toEqual([])
})

const runs = ({ pid }: Started) => isRunning(pid)
