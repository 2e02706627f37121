import type { ExitCode } from './exit-codes.ts'
import type { Output } from './output.ts'
import type { Target } from './target.ts'

/** A command: one file in `commands/` and one line in `main.ts`. */
export interface Command {
  /** Name and arguments as `--help` prints them: `verify [session]`. */
  readonly usage: string
  /** One line in the list of commands. */
  readonly summary: string
  /** Text that `<command> --help` prints below the summary. */
  readonly more?: string
  readonly options?: readonly CommandOption[]
  /**
   * Runs the command and returns its exit code; `undefined` means 0. `input` holds the typed arguments and options by
   * name, unchecked.
   */
  run(input: Readonly<Record<string, unknown>>, context: Context): Promise<ExitCode | undefined>
}

/** An option as commander declares it: `--limit <count>`. */
export interface CommandOption {
  readonly flags: string
  readonly description: string
}

/** Commands under one name: `memory import`, `memory show`. */
export interface CommandGroup {
  readonly name: string
  /** One line in the list of commands. */
  readonly summary: string
  readonly commands: readonly Command[]
}

export interface Context {
  readonly target: Target
  readonly output: Output
}
