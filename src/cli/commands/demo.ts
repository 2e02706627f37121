import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from '../command.ts'
import { narratorTo } from '../demo/narrator.ts'
import { tellStory } from '../demo/story.ts'
import type { Output } from '../output.ts'

export const demoCommand: Command = {
  usage: 'demo',
  summary: 'walk through the life of one session',
  more: 'Uses a temporary store that it removes at the end, unless --url names another.',

  async run(_input, { target, output }) {
    output.say(output.paint('bold', 'Throughline: the life of one session, call by call'))
    const narrator = narratorTo(output)
    if (target.explicit) {
      output.say('It is written to the store that --url names, and stays there.')
      await tellStory(target.url, narrator, output)
    } else {
      await inTemporaryFolder(async (folder) => {
        output.say(`It is written to a temporary store that is removed at the end:\n${folder}`)
        await tellStory(`sqlite:${join(folder, 'sessions.db')}`, narrator, output)
      })
      output.say('\nThe temporary store is removed.')
    }
    output.print(nextSteps(output), { steps: narrator.told })
  },
}

async function inTemporaryFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-demo-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  // for Ctrl-C and a closed pipe, which end the process in the midst of it
  process.once('exit', remove)
  try {
    await work(folder)
  } finally {
    process.off('exit', remove)
    remove()
  }
}

function nextSteps({ paint }: Output): string {
  return [
    '',
    paint('bold', 'What to try next'),
    `  ${paint('cyan', 'README.md')}               the first example, to paste into an agent of yours`,
    `  ${paint('cyan', 'npx throughline verify')}  checks your own store against its logs`,
    `  ${paint('cyan', 'docs/')}                   stores, errors, and how it works inside`,
  ].join('\n')
}
