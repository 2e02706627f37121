import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { type Draft, textAt, textDraft } from '../draft.ts'
import { parseJson } from '../translate-line.ts'

/** Characters before the output of a command that say how it ended. */
const HEAD = 500
const EXIT_CODE = /^(?:Exit code: |Process exited with code )(-?\d+)$/m

/** Converts the output of a tool. A single text is stored once; several are also kept in the entry. */
export function outputDraft(toolCallId: string, line: JsonObject, item: JsonObject, at: readonly string[]): Draft {
  const { output } = item
  const parts = { toolCallId, ...(hasFailed(output) && { isError: true }) }
  const result = { type: 'tool_result', role: 'tool' } as const
  const draft = textDraft(result, line, [...at, 'output', ...placeOfText(output)])
  return { ...(draft ?? { ...result, content: textOf(output), raw: { entry: line } }), parts }
}

/** The output is a text, a list of texts and images, or an object with one of them. */
function placeOfText(output: Json | undefined): (string | number)[] {
  if (isObject(output)) return ['content', ...placeOfText(output['content'])]
  if (!Array.isArray(output)) return []
  const list = output as readonly Json[]
  const places = [...list.keys()].filter((i) => textAt(list[i], 'text') !== '')
  return places.length === 1 ? [places[0] as number, 'text'] : []
}

function textOf(output: Json | undefined): string {
  if (isObject(output)) return textOf(output['content'])
  const list = Array.isArray(output) ? (output as readonly Json[]) : []
  return list.map((part) => textAt(part, 'text')).join('\n')
}

/** The exit code is in a member of older outputs, and in the lines before newer ones. */
function hasFailed(output: Json | undefined): boolean {
  if (isObject(output)) return output['success'] === false
  if (typeof output !== 'string') return false
  const result = output.startsWith('{') ? parseJson(output) : undefined
  const metadata = isObject(result) ? result['metadata'] : undefined
  if (isObject(metadata)) return typeof metadata['exit_code'] === 'number' && metadata['exit_code'] !== 0
  const [head = ''] = output.slice(0, HEAD).split('\nOutput:\n')
  const code = EXIT_CODE.exec(head)?.[1]
  return code !== undefined && Number(code) !== 0
}
