import { useMemo, useState } from 'preact/hooks'
import type { Json, MessageFormat } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Loading, ProblemNote } from '../../parts/notes.tsx'
import { Select } from '../../parts/select.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { query, setQuery } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { MessageList } from './message-list.tsx'
import { type ContextPreview, previewContext } from './use-context-preview.ts'

const FORMATS = {
  'openai-chat': 'OpenAI Chat',
  'openai-responses': 'OpenAI Responses',
  anthropic: 'Anthropic',
  'ai-sdk': 'AI SDK',
} as const satisfies Record<MessageFormat, string>

/** The messages, one by one or in the request format of a provider. */
export function SentMessages({ data, preview }: { data: SessionData; preview: ContextPreview }) {
  const requested = query.value.get('format')
  const format = (Object.keys(FORMATS) as MessageFormat[]).find((name) => name === requested)
  const { messages } = preview.result
  const [isPlain, setPlain] = useState(false)
  const text = useMemo(() => JSON.stringify(messages, null, 2), [messages])
  return (
    <>
      <div class="row between">
        <h2>
          What would be sent{' '}
          <span class="muted small">
            {messages.length.toLocaleString('en')} {messages.length === 1 ? 'message' : 'messages'}
          </span>
        </h2>
        <div class="row">
          <Select
            label="Format"
            value={format ?? ''}
            options={[['', 'Messages'], ...Object.entries(FORMATS)]}
            onChange={(name) => setQuery({ format: name })}
          />
          {format === undefined && (
            <>
              <label class="check">
                <input
                  type="checkbox"
                  checked={isPlain}
                  onChange={({ currentTarget }) => setPlain(currentTarget.checked)}
                />
                <span>Plain text</span>
              </label>
              <CopyButton text={text} label="Copy the messages as JSON" />
            </>
          )}
        </div>
      </div>
      {format === undefined ? (
        <MessageList messages={messages} sections={preview.result.sections} isPlain={isPlain} />
      ) : (
        <FormattedMessages data={data} preview={preview} format={format} />
      )}
    </>
  )
}

interface FormattedMessagesProps {
  readonly data: SessionData
  readonly preview: ContextPreview
  readonly format: MessageFormat
}

function FormattedMessages({ data, preview, format }: FormattedMessagesProps) {
  const { value, problem, reload } = useRequest(
    async (signal) => {
      const { messages } = await previewContext<Json>(data.id, preview.params, signal, format)
      return { format, messages, text: JSON.stringify(messages, null, 2) }
    },
    [data, preview, format],
  )
  return (
    <>
      <ProblemNote problem={problem} onRetry={reload} />
      {value === undefined && problem === undefined && <Loading />}
      {value !== undefined && (
        <>
          <div class="row">
            <span class="muted small">JSON for {FORMATS[value.format]}</span>
            <CopyButton text={value.text} label={`Copy the JSON for ${FORMATS[value.format]}`} />
          </div>
          <JsonView key={value.format} value={value.messages} most={8000} />
        </>
      )}
    </>
  )
}
