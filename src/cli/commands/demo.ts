import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from '../command.ts'
import { narratorTo } from '../demo/narrator.ts'
import { type Told, tellStory } from '../demo/story.ts'
import type { Output } from '../output.ts'
import { sameTargetHint, type Target, toOpenOptions } from '../target.ts'

export const demoCommand: Command = {
  usage: 'demo',
  summary: 'walk through the life of a session, in five turns of a conversation',
  more: 'Uses a temporary store that it removes at the end, unless --url names another.',

  async run(_input, { target, output }) {
    output.say(output.paint('bold', 'Throughline: one conversation in five turns, and the log underneath'))
    const told = target.explicit ? await onStore(target, output) : await onTemporaryStore(output)
    output.print(nextSteps(target, output), told)
    return undefined
  },
}

async function onStore(target: Target, output: Output): Promise<Told> {
  output.say('It is written to the store that --url names, and stays there.')
  return await tellStory(toOpenOptions(target), narratorTo(output))
}

async function onTemporaryStore(output: Output): Promise<Told> {
  return await inTemporaryFolder(async (folder) => {
    output.say(`On a temporary store that is removed at the end: ${folder}`)
    return await tellStory({ url: `sqlite:${join(folder, 'sessions.db')}` }, narratorTo(output))
  })
}

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-demo-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // for signals and a closed pipe, which end the process in the midst of it
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
    `  ${paint('cyan', 'README.md')}               the first example, to paste into an agent of yours`,
    `  ${paint('cyan', 'docs/lifecycle.md')}       every call, state and intent of what you saw`,
    `  ${paint('cyan', 'npx throughline verify')}  checks your own store against its logs`,
    ...sameTargetHint(target, 'with').map((line) => `${' '.repeat(26)}${line}`),
  ].join('\n')
}
