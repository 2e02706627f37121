/** Elements that the program adds to the conversation as messages of the user. */
const ADDED = [
  'environment_context',
  'environments',
  'user_instructions',
  'turn_aborted',
  'subagent_notification',
  'user_shell_command',
  'recommended_plugins',
  'codex_internal_context',
  'goal_context',
  'hook_prompt',
  'skill',
  'model_switch',
  'personality_spec',
]
const GENERATED = new RegExp(`^\\s*(?:<(?:${ADDED.join('|')})[\\s>]|# AGENTS\\.md instructions)`)

/** Whether the user typed a text of a user message: only that starts a turn. */
export function isTypedByUser(text: string): boolean {
  return !GENERATED.test(text)
}
