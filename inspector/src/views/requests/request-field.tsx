import { useId } from 'preact/hooks'
import { preview } from '../../parts/visible.ts'
import { type Draft, type FormField, textIn } from './form-fields.ts'
import css from './request-form.module.css'

interface Props {
  readonly field: FormField
  readonly draft: Draft
  readonly onInput: (name: string, text: string) => void
  /** The field that is wrong, and why. */
  readonly wrong: { readonly name: string; readonly text: string } | undefined
}

/** A field of a request's form, or a group of them. */
export function RequestField(props: Props) {
  const { field, wrong } = props
  const id = useId()
  const problem = wrong?.name === field.name ? wrong.text : undefined
  if (field.kind === 'group') {
    return (
      <fieldset class={field.path.length === 0 ? css.root : css.group}>
        {field.path.length > 0 && <legend dir="auto">{preview(field.label, 200)}</legend>}
        <Notes id={id} hint={field.hint} problem={problem} />
        {field.fields?.map((inner) => (
          <RequestField key={inner.name} {...props} field={inner} />
        ))}
      </fieldset>
    )
  }
  return (
    <div class="field">
      <label htmlFor={id} dir="auto">
        {preview(field.label, 200)}
        {!field.isRequired && <span class="muted"> (optional)</span>}
      </label>
      <Control {...props} id={id} isWrong={problem !== undefined} />
      <Notes id={id} hint={hintOf(field)} problem={problem} />
    </div>
  )
}

function hintOf({ kind, hint }: FormField): string | undefined {
  const how = kind === 'lines' ? 'One per line.' : kind === 'json' ? 'As JSON.' : undefined
  return [hint, how].filter(Boolean).join(' ') || undefined
}

function Notes({ id, hint, problem }: { id: string; hint: string | undefined; problem: string | undefined }) {
  return (
    <span id={`${id}-notes`} class={css.notes}>
      {hint !== undefined && <span class="muted small">{preview(hint, 500)}</span>}
      {problem !== undefined && (
        <span class={css.problem} role="alert">
          {preview(problem, 300)}
        </span>
      )}
    </span>
  )
}

function Control({ field, draft, onInput, id, isWrong }: Props & { id: string; isWrong: boolean }) {
  const shared = {
    id,
    value: textIn(draft, field),
    'aria-invalid': isWrong || undefined,
    'aria-describedby': `${id}-notes`,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onInput(field.name, currentTarget.value),
  }
  switch (field.kind) {
    case 'boolean':
      return <Choice {...shared} choices={[true, false]} name={(value) => (value === true ? 'Yes' : 'No')} />
    case 'choice':
      return (
        <Choice
          {...shared}
          choices={field.choices ?? []}
          name={(value) => (typeof value === 'string' ? value : JSON.stringify(value))}
        />
      )
    case 'number':
      return <input {...shared} class="input" type="number" step={field.isWhole === true ? 1 : 'any'} />
    default:
      return (
        <textarea
          {...shared}
          class={`input ${css.text} ${field.kind === 'json' ? 'mono' : ''}`}
          rows={field.kind === 'text' ? 1 : 3}
          dir="auto"
          spellcheck={field.kind !== 'json'}
        />
      )
  }
}

interface ChoiceProps<T> {
  readonly choices: readonly T[]
  readonly name: (choice: T) => string
}

/** A choice of one value, kept as JSON text; the first option is none of them. */
function Choice<T>({ choices, name, ...rest }: ChoiceProps<T> & { id: string; value: string }) {
  return (
    <select {...rest} class="input">
      <option value="">Choose …</option>
      {choices.map((choice) => (
        <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
          {preview(name(choice), 100)}
        </option>
      ))}
    </select>
  )
}
