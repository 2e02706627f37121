import { COMMANDS } from '../../src/cli/main.ts'

/** Every command by its name: `verify`, `memory import`. */
function everyCommand(): string[] {
  const first = (usage: string) => usage.split(' ')[0] ?? ''
  return COMMANDS.flatMap((command) =>
    'run' in command ? [first(command.usage)] : command.commands.map(({ usage }) => `${command.name} ${first(usage)}`),
  )
}

/** Run until they are stopped: `serve` is what the tour of a server talks to, and `mcp` has tests of its own. */
const LASTING = ['serve', 'mcp']

/** Commands that are not among these command lines. */
export function missingCommands(lines: readonly (readonly string[])[]): string[] {
  const run = new Set(lines.flatMap(([first = '', second = '']) => [first, `${first} ${second}`]))
  return everyCommand().filter((name) => !run.has(name) && !LASTING.includes(name))
}
