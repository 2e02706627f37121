import type { Message } from '../../api/types.ts'
import { Clamp } from '../../parts/clamp.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { oneLine } from '../../parts/visible.ts'
import css from './messages.module.css'

/** Longest text rendered as Markdown; a longer one is shown as plain text. */
const MAX_RENDERED_LENGTH = 20_000
const MAX_CALLS = 50

interface Props {
  readonly message: Message
  readonly place: number
  readonly part: string
  readonly isPlain: boolean
  readonly isOpen: boolean
  readonly onToggle: (open: boolean) => void
}

/** One message, collapsed to a line until opened. */
export function MessageItem({ message, place, part, isPlain, isOpen, onToggle }: Props) {
  const { role, content, agentId } = message
  return (
    <li class={css.message} data-role={role}>
      <details open={isOpen} onToggle={({ currentTarget }) => onToggle(currentTarget.open)}>
        <summary>
          <span class={css.place}>{place}</span>
          <span class={css.role}>{role}</span>
          <span class={css.preview} dir="auto">
            {isOpen ? part : summarizeMessage(message)}
          </span>
          {agentId !== undefined && <span class={css.agent}>{oneLine(agentId, 40)}</span>}
          {!isOpen && role === 'system' && <span class="badge">{part}</span>}
        </summary>
        {isOpen && (
          <div class={css.body}>
            {content !== '' && <Content text={content} isPlain={isPlain} />}
            <Calls message={message} />
            {message.parts !== undefined && (
              <details>
                <summary class="small muted">Parts</summary>
                <JsonView value={message.parts} />
              </details>
            )}
          </div>
        )}
      </details>
    </li>
  )
}

function summarizeMessage({ content, toolCalls = [], toolCallId }: Message): string {
  if (content !== '') return oneLine(content, 160)
  if (toolCalls.length > 0)
    return `calls ${toolCalls
      .slice(0, 5)
      .map(({ name }) => oneLine(String(name), 40))
      .join(', ')}`
  return toolCallId === undefined ? 'empty' : 'empty result'
}

function Content({ text, isPlain }: { text: string; isPlain: boolean }) {
  if (isPlain || text.length > MAX_RENDERED_LENGTH) return <Clamp text={text} />
  return <Markdown text={text} />
}

function Calls({ message: { toolCalls = [], toolCallId } }: { message: Message }) {
  return (
    <>
      {toolCallId !== undefined && (
        <p class="small muted">
          result of <code>{oneLine(toolCallId, 80)}</code>
        </p>
      )}
      {toolCalls.slice(0, MAX_CALLS).map(({ id, name, arguments: args }, i) => (
        <div key={`${i} ${id}`} class="stack-1">
          <p class="small">
            calls <code>{oneLine(String(name), 80)}</code> <span class="muted">as</span> <code>{oneLine(id, 80)}</code>
          </p>
          <Clamp text={String(args)} />
        </div>
      ))}
      {toolCalls.length > MAX_CALLS && <p class="small muted">and {toolCalls.length - MAX_CALLS} more calls</p>}
    </>
  )
}
