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
/** Warnings that older versions added. */
const WARNINGS = ['apply_patch was requested via', 'Your account was flagged for', 'The maximum number of unified exec']
const GENERATED = new RegExp(
  [
    `^\\s*<(?:${ADDED.join('|')})[\\s>]`,
    '^\\s*<external_',
    '^\\s*# AGENTS\\.md instructions',
    `^\\s*Warning: (?:${WARNINGS.join('|')}) `,
    // before and after an attachment
    '^<(?:image|audio)(?: name=[^>]*)?>$|^</(?:image|audio)>$',
  ].join('|'),
)

/** Whether the user typed a text of a user message: only that starts a turn. */
export function isTypedByUser(text: string): boolean {
  return !GENERATED.test(text)
}
