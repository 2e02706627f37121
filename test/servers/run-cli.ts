import { main } from '../../src/cli/main.ts'

/** What the shell would see of a command. */
export interface CommandResult {
  code: number | string
  stdout: string
  stderr: string
}

/** What concerns the process of the tests, and not the command. */
const OURS = ['FORCE_COLOR', 'NO_COLOR', 'NODE_DEBUG', 'THROUGHLINE_CACHE_URL', 'THROUGHLINE_URL']

/**
 * Runs a command in this process, which saves the third of a second that one of its own needs to start. What only a process can show, such as
 * colours, pipes and signals, is not for here. One command at a time: it borrows the environment, the folder and the output.
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
