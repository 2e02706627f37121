import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runInProcess } from '../servers/run-cli.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8')

/** The `--help` output of a command. */
interface Help {
  usage: string
  options: string[]
  /** Options that every command has. */
  global: string[]
  commands: string[]
}

async function helpOf(name: string): Promise<Help> {
  const words = name === '' ? [] : name.split(' ')
  const { stdout } = await runInProcess([...words, '--help'], tmpdir())
  const [, usage = ''] = /^Usage: (.*)$/m.exec(stdout) ?? []
  const part = (title: string) => stdout.split(`\n${title}:\n`)[1]?.split('\n\n')[0] ?? ''
  const options = (text: string) =>
    [...text.matchAll(/^ {2}(?:-\w, )?(--\S+(?: <[^>]+>)?)/gm)].map(([, flags = '']) => flags)
  return {
    usage,
    options: options(part('Options')).filter((flags) => flags !== '--help'),
    global: options(part('Global Options')),
    commands: [...part('Commands').matchAll(/^ {2}(\w+)/gm)].map(([, command = '']) => command),
  }
}

/** Sections of the page by their commands. */
const sections = new Map(
  page
    .split(/^##+ /m)
    .map((text) => [/^`([a-z ]+)`\n/.exec(text)?.[1], text] as const)
    .filter((entry): entry is [string, string] => entry[0] !== undefined),
)
const optionsIn = (text: string) => [...text.matchAll(/^\| `(--[^`]+)` \|/gm)].map(([, flags = '']) => flags)

let helps: Map<string, Help>
beforeAll(async () => {
  helps = new Map()
  for (const name of (await helpOf('')).commands) {
    const help = await helpOf(name)
    if (help.commands.length === 0) helps.set(name, help)
    for (const below of help.commands) helps.set(`${name} ${below}`, await helpOf(`${name} ${below}`))
  }
})

describe('the command line page', () => {
  it('lists exactly the existing commands', () => {
    expect([...sections.keys()].sort()).toEqual([...helps.keys()].sort())
    expect(helps.size).toBeGreaterThan(25)
  })

  it('lists exactly the options of each command', () => {
    for (const [name, { options }] of helps)
      expect([name, optionsIn(sections.get(name) ?? '')]).toEqual([name, options])
  })

  it('shows the usage of each command', () => {
    for (const [name, { usage, options }] of helps) {
      // the program puts [options] into each, for --help
      const called = options.length > 0 ? usage : usage.replace(' [options]', '')
      expect(sections.get(name)).toContain(`\n\`\`\`sh\n${called}\n\`\`\`\n`)
    }
  })

  it('lists the global options and every exit code', () => {
    const [, global = ''] = page.split('## Options of every command')
    const help = [...helps.values()][0]
    expect(optionsIn(global.split('\n## ')[0] ?? '').sort()).toEqual([...(help?.global ?? []), '--help'].sort())
    const [, codes = ''] = page.split('## Exit codes')
    const told = [...(codes.split('\n## ')[0] ?? '').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
    expect(told).toEqual(Object.values(EXIT))
  })

  it('uses only existing commands and options in its examples', () => {
    const lines = [...page.matchAll(/^(?:\$ )?(?:npx )?throughline (.*?)(?:\s+#.*|\s*\|.*)?$/gm)].map(
      ([, line = '']) => line,
    )
    expect(lines.length).toBeGreaterThan(30)
    for (const line of lines) {
      const words = line.split(/\s+/)
      const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((one) => helps.has(one))
      const known = [...(helps.get(name ?? '')?.options ?? []), ...([...helps.values()][0]?.global ?? [])]
      const flags = ['--help', ...known.map((flag) => flag.split(' ')[0])]
      for (const word of words.filter((one) => one.startsWith('--')))
        expect([line, flags]).toEqual([line, expect.arrayContaining([word])])
    }
  })
})
