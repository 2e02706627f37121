import type { Json, JsonObject } from '../json.ts'
import { patches } from './apply-patch.ts'
import { runsInShell, runsWithArguments } from './shell-intent.ts'
import { type IntentReader, plans, proposes, reads, textsAt, waitsFor, writes } from './tool-intent.ts'
import { asksUser } from './user-decisions.ts'

/** The commands of Anthropic's text editor tool that change the file. */
const EDITS = new Set<Json | undefined>(['create', 'str_replace', 'insert', 'undo_edit'])

const editsText: IntentReader = (given) => {
  if (given['command'] === 'view') return reads('path')(given)
  return EDITS.has(given['command']) ? writes('path')(given) : undefined
}

const bash: IntentReader = (given) => {
  const intent = runsInShell('command')(given)
  return intent && { ...intent, form: intent.form ?? 'claude-code' }
}

/** A dry run only shows the changes. */
const editsUnlessDry: IntentReader = (given) => (given['dryRun'] === true ? undefined : writes('path')(given))

const readsSeveral: IntentReader = (given: JsonObject) => {
  const paths = textsAt(given, 'paths')
  return paths.length === 0 ? undefined : { reads: paths, form: 'several-files' }
}

/**
 * Tools with a known meaning, by name. Searches, lists of folders and web requests mean no work here: they name no file
 * that was read.
 */
export const KNOWN_TOOLS: ReadonlyMap<string, IntentReader> = new Map<string, IntentReader>([
  // Claude Code
  ['Read', reads('file_path')],
  ['NotebookRead', reads('notebook_path')],
  ['Write', writes('file_path')],
  ['Edit', writes('file_path')],
  ['MultiEdit', writes('file_path')],
  ['NotebookEdit', writes('notebook_path')],
  ['Bash', bash],
  ['BashOutput', waitsFor('bash_id')],
  ['TaskOutput', waitsFor('task_id')],
  ['TodoWrite', plans('todos', 'content')],
  ['ExitPlanMode', proposes('plan')],
  ['AskUserQuestion', asksUser],
  // Codex CLI
  ['shell', runsInShell('command', 'cmd')],
  ['local_shell', runsInShell('command')],
  ['local_shell_call', runsInShell('command')],
  ['shell_command', runsInShell('command')],
  ['exec_command', runsInShell('cmd', 'command')],
  ['write_stdin', waitsFor('session_id')],
  ['apply_patch', patches],
  ['update_plan', plans('plan', 'step')],
  ['view_image', reads('path')],
  ['request_user_input', asksUser],
  // the text editor and bash of Anthropic, the shell and patches of OpenAI
  ['str_replace_based_edit_tool', editsText],
  ['str_replace_editor', editsText],
  ['bash', runsInShell('command')],
  ['shell_call', runsInShell('command')],
  ['apply_patch_call', patches],
  // file servers of the Model Context Protocol, and Gemini CLI
  ['read_file', reads('path', 'file_path', 'absolute_path')],
  ['read_text_file', reads('path')],
  ['read_media_file', reads('path')],
  ['read_multiple_files', readsSeveral],
  ['write_file', writes('path', 'file_path')],
  ['edit_file', editsUnlessDry],
  ['edit_block', writes('file_path')],
  ['move_file', writes('source', 'destination')],
  ['replace', writes('file_path')],
  // shell servers of the Model Context Protocol, and Gemini CLI
  ['run_command', runsWithArguments],
  ['execute_command', runsWithArguments],
  ['run_shell_command', runsInShell('command')],
  ['execute_shell_command', runsInShell('command')],
  ['shell_execute', runsInShell('command')],
  ['shell_exec', runsInShell('command')],
  ['run_shell', runsInShell('command')],
])
