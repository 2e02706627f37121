import { main } from '../../src/cli/main.ts'

/** Exit code and output of a command. */
export interface CommandResult {
  code: number | string
  stdout: string
  stderr: string
}

/** Variables for the test process that commands must not see. */
const OURS = ['FORCE_COLOR', 'NO_COLOR', 'NODE_DEBUG', 'THROUGHLINE_CACHE_URL', 'THROUGHLINE_URL']

/**
 * Runs a command in this process, which saves the half second of a core that a process needs to start. Not for
 * colors, pipes and signals, which need a process. One command at a time: it replaces the environment, the working
 * directory and the output.
 */
export async function runInProcess(
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<CommandResult> {
  const { env: environment, exitCode } = process
  const here = process.cwd()
  const text = { stdout: '', stderr: '' }
  const giveBack = (['stdout', 'stderr'] as const).map((name) => {
    const { write } = process[name]
    process[name].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      text[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
      for (const done of rest) if (typeof done === 'function') done()
      return true
    }) as typeof write
    return () => {
      process[name].write = write
    }
  })
  process.env = { ...Object.fromEntries(Object.entries(environment).filter(([key]) => !OURS.includes(key))), ...env }
  process.chdir(cwd)
  try {
    await main(args)
    return { code: process.exitCode ?? 0, ...text }
  } finally {
    for (const back of giveBack) back()
    process.exitCode = exitCode
    process.env = environment
    process.chdir(here)
  }
}
