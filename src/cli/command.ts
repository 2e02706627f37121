import { z } from 'zod'
import type { Throughline } from '../api.ts'
import { parse } from '../features/kernel/parse.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Output } from './output.ts'
import type { ShowProgress } from './progress.ts'
import { type Target, withStore } from './target.ts'

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

type Described = Omit<Command, 'run'>

const NO_INPUT = z.strictObject({})

/** Defines a command. `input` is the schema of its arguments and options. */
export function command<Schema extends z.ZodType = typeof NO_INPUT>({
  input: schema,
  run,
  ...described
}: Described & {
  input?: Schema
  run(input: z.output<Schema>, context: Context): Promise<ExitCode | undefined>
}): Command {
  return {
    ...described,
    run: (input, context) => run(parse(schema ?? NO_INPUT, input) as z.output<Schema>, context),
  }
}

/** Defines a command that works on an existing store and prints a report. */
export function reportCommand<Report, Schema extends z.ZodType = typeof NO_INPUT>({
  work,
  format,
  exitCode,
  ...described
}: Described & {
  input?: Schema
  work(tl: Throughline, input: z.output<Schema>, showProgress: ShowProgress): Promise<Report>
  format(report: Report, output: Output): string
  /** @default 0 */
  exitCode?(report: Report): ExitCode
}): Command {
  return command<Schema>({
    ...described,
    async run(input, { target, output }) {
      const report = await withStore(target, (tl, showProgress) => work(tl, input, showProgress))
      output.print(format(report, output), report)
      return exitCode?.(report)
    },
  })
}
