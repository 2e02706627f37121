import { Command as CommanderCommand, Option } from 'commander'
import { DEFAULT_URL } from '../open/target.ts'
import { packageVersion } from '../version.ts'
import type { Command, CommandGroup } from './command.ts'
import { backfillCommand } from './commands/backfill.ts'
import { cancelCommand } from './commands/cancel.ts'
import { compactCommand } from './commands/compact.ts'
import { demoCommand } from './commands/demo.ts'
import { doctorCommand } from './commands/doctor.ts'
import { exportCommand } from './commands/export.ts'
import { importCommand } from './commands/import.ts'
import { indexCommand } from './commands/index-log.ts'
import { intakeCommands } from './commands/intake.ts'
import { mcpCommand } from './commands/mcp.ts'
import { memoryCommands } from './commands/memory.ts'
import { migrateCommand } from './commands/migrate.ts'
import { purgeCommand } from './commands/purge.ts'
import { rebuildCommand } from './commands/rebuild.ts'
import { recallCommand } from './commands/recall.ts'
import { requestsCommand } from './commands/requests.ts'
import { resumeCommand } from './commands/resume.ts'
import { rewindCommand } from './commands/rewind.ts'
import { rollbackCommand } from './commands/rollback.ts'
import { runsCommand } from './commands/runs.ts'
import { serveCommand } from './commands/serve.ts'
import { sessionsCommand } from './commands/sessions.ts'
import { showCommand } from './commands/show.ts'
import { sweepCommand } from './commands/sweep.ts'
import { tailCommand } from './commands/tail.ts'
import { usageCommand } from './commands/usage.ts'
import { verifyCommand } from './commands/verify.ts'
import { warmCommand } from './commands/warm.ts'
import { EXIT, exitCodesHelp } from './exit-codes.ts'
import { toFailure } from './failure.ts'
import { applyStyle, createOutput, type Output } from './output.ts'
import { exitOnSignals } from './signals.ts'
import type { Target } from './target.ts'

/** Every command, in the order of `--help`. */
export const COMMANDS: readonly (Command | CommandGroup)[] = [
  serveCommand,
  mcpCommand,
  demoCommand,
  doctorCommand,
  migrateCommand,
  sessionsCommand,
  showCommand,
  tailCommand,
  runsCommand,
  cancelCommand,
  resumeCommand,
  requestsCommand,
  rewindCommand,
  compactCommand,
  sweepCommand,
  purgeCommand,
  usageCommand,
  recallCommand,
  memoryCommands,
  indexCommand,
  exportCommand,
  importCommand,
  verifyCommand,
  rebuildCommand,
  backfillCommand,
  rollbackCommand,
  warmCommand,
  intakeCommands,
]

/** Runs the command line. Never throws; sets `process.exitCode`. */
export async function main(argv: readonly string[]): Promise<void> {
  exitOnSignals()
  // read from argv directly, so that parse errors are reported as JSON too
  const json = argv.includes('--json')
  const output = createOutput(process.stdout, process.stderr, json)
  try {
    await createProgram(output, json).parseAsync(expandHelp(argv), { from: 'user' })
  } catch (error) {
    const failure = toFailure(error)
    process.exitCode = failure?.exitCode ?? EXIT.ok
    if (failure !== undefined) output.fail(failure)
  }
}

/** Turns `help memory list` into `memory list --help`. */
function expandHelp([first, ...rest]: readonly string[]): string[] {
  if (first === 'help') return [...rest, '--help']
  return first === undefined ? [] : [first, ...rest]
}

function createProgram(output: Output, json: boolean): CommanderCommand {
  const bold = (text: string) => applyStyle('bold', text, process.stdout)
  const program = new CommanderCommand('throughline')
    .description('The durable session layer for AI agents: one append-only log per session, with views on top.')
    .usage('<command> [options]')
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addOption(
      new Option('--url <target>', 'store to use: sqlite:PATH, postgres://…, or https://… of a server')
        .env('THROUGHLINE_URL')
        .default(DEFAULT_URL),
    )
    .addOption(new Option('--cache-url <url>', 'cache for a Postgres store: redis://…').env('THROUGHLINE_CACHE_URL'))
    .option('--json', 'print JSON instead of text')
    .configureHelp({ showGlobalOptions: true, styleTitle: bold })
    // main reports errors
    .configureOutput({ outputError: () => {}, ...(json && { writeErr: () => {} }) })
    .exitOverride()
    .showSuggestionAfterError()
    .addHelpText('after', `\n${bold('Exit codes:')}\n${exitCodesHelp()}`)
  for (const command of COMMANDS) {
    if ('run' in command) mount(program, program, command, output)
    else mountGroup(program, command, output)
  }
  return program
}

function mountGroup(program: CommanderCommand, { name, summary, commands }: CommandGroup, output: Output) {
  const group = program
    .command(name)
    .summary(summary)
    .description(toSentence(summary))
    .usage('<command> [options]')
    .helpCommand(false)
  for (const command of commands) mount(program, group, command, output)
}

function toSentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}

function mount(program: CommanderCommand, parent: CommanderCommand, command: Command, output: Output) {
  const { usage, summary, more = '', options = [], run } = command
  const mounted = parent
    .command(usage)
    .summary(summary)
    .description(`${toSentence(summary)}\n\n${more}`.trim())
  for (const { flags, description } of options) mounted.option(flags, description)
  mounted.action(async () => {
    const named = mounted.registeredArguments.map((argument, i) => [argument.name(), mounted.processedArgs[i]])
    const input = { ...mounted.opts(), ...Object.fromEntries(named) }
    process.exitCode = (await run(input, { target: readTarget(program), output })) ?? EXIT.ok
  })
}

function readTarget(program: CommanderCommand): Target {
  const isTyped = (option: string) => program.getOptionValueSource(option) === 'cli'
  return {
    url: String(program.getOptionValue('url')),
    explicit: isTyped('url'),
    ...(isTyped('cacheUrl') && { cache: String(program.getOptionValue('cacheUrl')) }),
  }
}
