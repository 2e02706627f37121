import { hasFailed, truncateText } from './graph.ts'
import { proseOf } from './prose.ts'
import type { WorkSummary } from './work.ts'

/** Input of a summary. */
export interface SummaryInput {
  task?: string | undefined
  work: WorkSummary
  lastModelMessage?: string | undefined
  /** What the agent proposed as the summary of its work. */
  proposed?: string | undefined
}

/** Maximum characters per part. */
const MAX_LENGTH = { task: 220, asked: 180, list: 240, decisions: 240, open: 200, concluded: 900, files: 480 } as const
/** Conclusion and files share what the other parts leave of this; with all headings the summary stays below 2,000. */
const TOTAL = 1890

/**
 * Summarizes by rules: deterministic, at most 2,000 characters, never empty. The conclusion is the agent's proposal,
 * else the first sentences of its last messages.
 */
export function extractiveSummary({ task, work, lastModelMessage, proposed }: SummaryInput): string {
  const { omitted } = work
  const goal = truncateText(oneLine(task), MAX_LENGTH.task)
  const parts = {
    Task: goal,
    [goal === '' ? 'Asked' : 'Asked later']: formatList(
      otherRequests(work.requests, goal),
      0,
      SEPARATOR,
      MAX_LENGTH.asked,
    ),
    Concluded: '',
    Committed: formatList(work.commands.flatMap(committed), 0, '; ', MAX_LENGTH.list),
    'Files written': '',
    Commands: formatCommands(work.commands, omitted.commands),
    Decisions: formatList(work.decisions, omitted.decisions, '; ', MAX_LENGTH.decisions),
    Open: formatList(openEnds(work), 0, '; ', MAX_LENGTH.open),
  }
  const room = TOTAL - Object.values(parts).reduce((sum, { length }) => sum + length, 0)
  const last = plainText(proposed) || plainText(lastModelMessage)
  const report = plainText(proposed) === '' ? plainText(work.report) : ''
  const paths = work.filesWritten.map(({ path }) => path)
  const pathRoom = Math.min(MAX_LENGTH.files, room - Math.min(report.length + last.length, room / 2))
  parts['Files written'] = formatPaths(paths, omitted.filesWritten, pathRoom)
  parts.Concluded = conclude(report, last, Math.min(room - parts['Files written'].length, MAX_LENGTH.concluded))
  const lines = Object.entries(parts).flatMap(([name, text]) => (text === '' ? [] : [`${name}: ${text}`]))
  return lines.length === 0 ? 'No work was recorded.' : lines.join('\n')
}

/** Between messages. */
const SEPARATOR = ' / '

/** Characters read of a text. */
const MAX_READ = 64 * 1024

/** Collapses all white space. Of a longer text only the start: every use cuts the result. */
export function oneLine(text: string | undefined): string {
  return (text ?? '').slice(0, MAX_READ).replace(/\s+/g, ' ').trim()
}

/** The lines of a message, without fenced code and the marks of headings and bold text. */
function plainText(text: string | undefined): string {
  const { prose } = proseOf((text ?? '').slice(0, MAX_READ), MAX_READ)
  const lines = prose.replace(/^#{1,6} +|\*\*/gm, '').split('\n')
  return lines
    .map(oneLine)
    .filter((line) => line !== '')
    .join('\n')
}

/** Characters by which a request is recognized as the task. */
const SAME = 60

/** The requests besides the first, which is usually the task. */
function otherRequests(requests: readonly string[], task: string): string[] {
  return requests.filter((request) => task === '' || request.slice(0, SAME) !== task.slice(0, SAME))
}

/** What is left: unanswered questions, steps of the plan, a command that failed last, calls without a result. */
function openEnds({ openQuestions, openSteps, commands, openCalls }: WorkSummary): string[] {
  const last = commands.at(-1)
  return [
    ...(openCalls.length === 0 ? [] : [`no result of ${openCalls.slice(0, 5).join(', ')}`]),
    ...(last !== undefined && hasFailed(last) ? [`the last command failed: ${shortCommand(last.command)}`] : []),
    ...openSteps.toReversed(),
    ...openQuestions,
  ]
}

/** The options of `git commit`, and what comes before its message. */
const COMMIT = /\bgit (?:-C \S{1,200} )?commit\b/
const MESSAGE = /^[^"']{0,100} (?:-a?m|--message)[ =]?(?:(["'])(?:\$\(cat <<-? ?\S{1,20}\n)?)/

/** The subject of the first commit that a command made. */
function committed({ command, exitCode }: WorkSummary['commands'][number]): string[] {
  const start = exitCode === 0 ? COMMIT.exec(command) : null
  const options = command.slice((start?.index ?? 0) + (start?.[0].length ?? 0))
  const message = start === null ? null : MESSAGE.exec(options)
  if (message === null) return []
  const [line = ''] = options.slice(message[0].length).split('\n', 1)
  const [subject = ''] = line.split(message[1] ?? '"', 1)
  return subject.trim() === '' ? [] : [subject.trim()]
}

/** Ends of sentences; the number of a list's item, such as `2.`, ends none. */
const SENTENCE_END = /(?<!(?:^|\s)\d{1,3})[.!?。！？](?=\s)/g

/** The report of the work, and what was answered later. */
function conclude(report: string, answer: string, limit: number): string {
  if (report === '' || report === answer) return firstSentences(answer, limit)
  const later = firstSentences(answer, limit / 3)
  return `${firstSentences(report, limit - later.length - SEPARATOR.length)}${SEPARATOR}${later}`
}

/** Returns on one line the whole sentences or lines that fit, or the start of the first. */
function firstSentences(text: string, limit: number): string {
  if (text.length <= limit) return oneLine(text)
  const start = text.slice(0, limit)
  const sentence = Array.from(start.matchAll(SENTENCE_END), ({ index }) => index).at(-1) ?? 0
  const line = start.slice(0, -' …'.length).lastIndexOf('\n')
  if (line > sentence) return `${oneLine(text.slice(0, line))} …`
  return oneLine(sentence < 1 ? truncateText(text, limit) : text.slice(0, sentence + 1))
}

/** Lists the last items that fit, in order or from the last one on, and counts the rest. */
function formatList(
  items: readonly string[],
  omitted: number | undefined,
  separator: string,
  limit: number,
  isReversed = false,
): string {
  const kept: string[] = []
  let room = limit
  for (const item of items.toReversed()) {
    // half a list at most, so one long item does not hide the others
    const text = truncateText(oneLine(item), limit / 2)
    room -= text.length + separator.length
    if (room < 0) break
    kept.unshift(text)
  }
  if (isReversed) kept.reverse()
  return withRest(kept.join(separator), items.length - kept.length + (omitted ?? 0))
}

function withRest(list: string, more: number): string {
  return more === 0 ? list : `${list} (and ${more} more)`
}

/** Room for `(and 12 more)`. */
const REST = 20

/** The newest paths that fit; those of one folder together: `src/{a.ts, b.ts}`. */
function formatPaths(paths: readonly string[], omitted: number | undefined, limit: number): string {
  let list = ''
  let kept = 0
  for (; kept < paths.length; kept++) {
    const longer = byFolder(paths.slice(paths.length - kept - 1).map((path) => truncateText(path, limit / 2)))
    if (longer.length > limit - REST) break
    list = longer
  }
  return withRest(list, paths.length - kept + (omitted ?? 0))
}

function byFolder(paths: readonly string[]): string {
  const folders = new Map<string, string[]>()
  for (const path of paths) {
    const end = path.lastIndexOf('/') + 1
    folders.set(path.slice(0, end), [...(folders.get(path.slice(0, end)) ?? []), path.slice(end)])
  }
  return Array.from(folders, ([folder, names]) =>
    folder === '' || names.length === 1
      ? names.map((name) => folder + name).join(', ')
      : `${folder}{${names.join(', ')}}`,
  ).join(', ')
}

/** Failed commands first, then the newest, last those that only look around. Git commits have a line of their own. */
function formatCommands(commands: WorkSummary['commands'], omitted = 0): string {
  const failed = commands.filter(hasFailed)
  const others = commands.filter((command) => !hasFailed(command) && committed(command).length === 0)
  const looks = others.filter(({ command }) => onlyLooks(command))
  const acts = others.filter((command) => !looks.includes(command))
  const count =
    failed.length === 0 || others.length === 0 ? '' : `${failed.length} of ${commands.length + omitted} failed: `
  const list = [...looks, ...acts, ...failed].map(formatCommand)
  return count + formatList(list, omitted, '; ', MAX_LENGTH.list, count !== '')
}

/** Commands that change and check nothing. */
const LOOKS =
  /^(?:cd|pwd|ls|cat|head|tail|sed -n|nl|wc|grep|rg|find|tree|which|echo|printf|sleep|git (?:status|log|diff|show|branch))\b/

function onlyLooks(command: string): boolean {
  return shortCommand(command)
    .split(/\s*(?:&&|\|\|?|;)\s*/)
    .every((step) => step === '' || LOOKS.test(step))
}

/** A command without what only limits its output. */
function shortCommand(command: string): string {
  return oneLine(command)
    .replace(/ 2>(?:&1|\/dev\/null)/g, '')
    .replace(/ \| (?:head|tail)(?: -n ?\d+| -\d+)?$/, '')
}

/** A command with its outcome: `npm test passed`. */
export function formatCommand({ command, exitCode }: WorkSummary['commands'][number]): string {
  const name = truncateText(shortCommand(command), 80)
  if (exitCode === undefined) return name
  return hasFailed({ exitCode }) ? `${name} failed with ${exitCode}` : `${name} passed`
}
