import type { ExitCode } from './exit-codes.ts'
import type { Output } from './output.ts'
import type { Target } from './target.ts'

/** One command of the command line: a file in `commands/`, and a line in `main.ts`. */
export interface Command {
  /** Name and arguments as help shows them: `verify [session]`. */
  readonly usage: string
  /** One line for the list of commands. */
  readonly summary: string
  /** What `<command> --help` adds to the summary. */
  readonly more?: string
  readonly options?: readonly { flags: string; description: string }[]
  /**
   * `input` holds arguments and options by name, as they were typed: check it with the room's schema. Gives the exit
   * code, unless that is 0.
   */
  run(input: Readonly<Record<string, unknown>>, context: Context): Promise<ExitCode | undefined>
}

/** Commands under one name: `memory import`, `memory show`. */
export interface CommandGroup {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  readonly commands: readonly Command[]
}

export interface Context {
  readonly target: Target
  readonly output: Output
}
