import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from '../command.ts'
import { narratorTo } from '../demo/narrator.ts'
import { type DemoReport, playDemo } from '../demo/play-demo.ts'
import type { Output } from '../output.ts'
import { sameTargetHint, type Target, toOpenOptions } from '../target.ts'

export const demoCommand: Command = {
  usage: 'demo',
  summary: 'play a conversation in five turns and show the log it leaves',
  more: 'Uses a temporary store and removes it at the end, unless --url names a store.',

  async run(_input, { target, output }) {
    output.say(output.paint('bold', 'Throughline: one conversation in five turns, and the log below it'))
    const report = target.explicit ? await onStore(target, output) : await onTemporaryStore(output)
    output.print(nextSteps(target, output), report)
  },
}

async function onStore(target: Target, output: Output): Promise<DemoReport> {
  output.say('The demo stays in the store that --url names.')
  return await playDemo(toOpenOptions(target), narratorTo(output))
}

async function onTemporaryStore(output: Output): Promise<DemoReport> {
  return await inTemporaryFolder(async (folder) => {
    output.say(`Temporary store, removed at the end: ${folder}`)
    return await playDemo({ url: `sqlite:${join(folder, 'sessions.db')}` }, narratorTo(output))
  })
}

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-demo-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // signals and a closed pipe end the process without running finally
  process.once('exit', remove)
  try {
    return await work(folder)
  } finally {
    process.off('exit', remove)
    remove()
  }
}

function nextSteps(target: Target, { paint }: Output): string {
  return [
    '',
    paint('bold', 'What to try next'),
    `  ${paint('cyan', 'README.md')}               the first example, to paste into your own agent`,
    `  ${paint('cyan', 'docs/lifecycle.md')}       every call, state and intent you saw`,
    `  ${paint('cyan', 'npx throughline verify')}  checks your own store against its logs`,
    ...sameTargetHint(target, 'with').map((line) => `${' '.repeat(26)}${line}`),
  ].join('\n')
}
