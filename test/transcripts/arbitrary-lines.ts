import fc from 'fast-check'

/** Texts of every kind, those that no store takes among them. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('\0', '\ud800', '\udc00', 'a', ' ', '\r', '\u{2028}'), maxLength: 4 }),
  fc.constantFrom('', '<system-reminder>x', '<command-name>/a</command-name>', '[Request interrupted by user]'),
)
const key = fc.oneof(fc.constantFrom('__proto__', 'type', 'text', 'content', 'line', 'entry', 'at', 'source'), text)
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, -1.5, 1e21),
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value

/** An object some of whose keys are what they should be, some anything, and some not there. */
function loosely(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  const loose = Object.entries(fields).map(([name, usual]) => [
    name,
    fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: json }),
  ])
  return fc
    .tuple(fc.record(Object.fromEntries(loose), { requiredKeys: [] }), fc.dictionary(key, json, { maxKeys: 1 }))
    .map(([known, other]) => ({ ...other, ...known }))
}

const id = fc.constantFrom('toolu_1', 'toolu_2', 'toolu_\0')
const textBlock = loosely({ type: fc.constant('text'), text })
const block = fc.oneof(
  textBlock,
  loosely({ type: fc.constant('thinking'), thinking: text, signature: text }),
  loosely({ type: fc.constantFrom('tool_use', 'server_tool_use'), id, name: text, input: json }),
  loosely({
    type: fc.constantFrom('tool_result', 'web_search_tool_result'),
    tool_use_id: id,
    content: fc.oneof(text, fc.array(fc.oneof(textBlock, json), { maxLength: 3 })),
    is_error: fc.boolean(),
  }),
  json,
)
const time = fc.constantFrom('2026-03-02T09:00:00.000Z', '2026-03-02T08:00:00Z', '2026-03-02T11:00:00+02:00', 'never')
const uuid = fc.constantFrom('u1', 'u2', 'u3')
const names = {
  uuid,
  parentUuid: fc.option(uuid),
  isSidechain: fc.boolean(),
  agentId: fc.option(fc.constantFrom('a1', '\0'), { nil: '' }),
  timestamp: time,
}
const entry = fc.oneof(
  loosely({
    type: fc.constantFrom('user', 'assistant'),
    message: loosely({ content: fc.oneof(text, fc.array(block, { maxLength: 4 })), role: text }),
    isMeta: fc.boolean(),
    isApiErrorMessage: fc.boolean(),
    ...names,
  }),
  loosely({ type: fc.constantFrom('system', 'summary', 'attachment'), subtype: text, content: text, summary: text }),
  loosely({
    type: fc.constant('attachment'),
    attachment: loosely({ type: fc.constant('queued_command'), prompt: text }),
  }),
  json,
)
const notJson = text.map((words) => words.toWellFormed().replaceAll('\n', ''))

/** A line of Claude Code, or something like it. */
export const claudeLine = fc.oneof(
  { weight: 6, arbitrary: entry.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: notJson },
)

const callId = fc.constantFrom('call_1', 'call_2', 'call_\0')
const codexText = loosely({ type: fc.constantFrom('input_text', 'output_text'), text })
const output = fc.oneof(
  text,
  fc.array(fc.oneof(codexText, json), { maxLength: 3 }),
  loosely({ content: text, success: fc.boolean() }),
)
const item = fc.oneof(
  loosely({
    type: fc.constantFrom('message', 'agent_message'),
    role: fc.constantFrom('user', 'assistant', 'developer'),
    content: fc.oneof(text, fc.array(fc.oneof(codexText, json), { maxLength: 3 })),
  }),
  loosely({
    type: fc.constant('reasoning'),
    summary: fc.array(loosely({ text }), { maxLength: 3 }),
    content: fc.array(loosely({ text }), { maxLength: 2 }),
  }),
  loosely({
    type: fc.constant('function_call'),
    name: text,
    call_id: callId,
    arguments: fc.oneof(
      text,
      json.map((value) => JSON.stringify(value) ?? ''),
    ),
  }),
  loosely({ type: fc.constant('custom_tool_call'), name: text, call_id: callId, input: text }),
  loosely({ type: fc.constantFrom('local_shell_call', 'web_search_call'), call_id: callId, action: json, id: text }),
  loosely({ type: fc.constant('tool_search_call'), call_id: callId, arguments: json }),
  loosely({
    type: fc.constantFrom('function_call_output', 'custom_tool_call_output', 'tool_search_output'),
    call_id: callId,
    output,
  }),
)
const tokens = loosely({ input_tokens: fc.nat(9), cached_input_tokens: fc.nat(9), output_tokens: fc.nat(9) })
const codexEvent = fc.oneof(
  loosely({
    type: fc.constant('token_count'),
    info: loosely({ last_token_usage: tokens, total_token_usage: tokens }),
  }),
  loosely({ type: fc.constantFrom('user_message', 'agent_message', 'task_started', 'error'), message: text }),
)
const thread = fc.constantFrom('019ccccc-0001-7000-8000-000000000001', '019ccccc-0002-7000-8000-000000000002')
const codexEntry = fc.oneof(
  item,
  item.map((payload) => ({ type: 'response_item', payload })),
  codexEvent.map((payload) => ({ type: 'event_msg', payload })),
  loosely({ id: thread, cwd: text, forked_from_id: thread, parent_thread_id: fc.option(thread) }).map((payload) => ({
    type: 'session_meta',
    payload,
  })),
  loosely({ message: text, content: text, model: text }).chain((payload) =>
    fc.constantFrom('compacted', 'turn_context', 'inter_agent_communication').map((type) => ({ type, payload })),
  ),
  json,
)

/** A line of Codex, or something like it. */
export const codexLine = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(codexEntry, time)
      .map(([value, timestamp]) =>
        JSON.stringify(
          typeof value === 'object' && value !== null && !Array.isArray(value) ? { timestamp, ...value } : value,
        ),
      ),
  },
  { weight: 1, arbitrary: notJson },
)
