import { useServerInfo } from '../../api/server-info.ts'
import { token } from '../../api/token.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { visible } from '../../parts/visible.ts'
import css from './connect-panel.module.css'
import { snippets } from './snippets.ts'

/** Code that connects an agent to this server, with copy buttons. */
export function ConnectPanel() {
  const userId = useServerInfo()?.principal?.userId ?? 'ada'
  const isSecured = token.value !== ''
  const all = snippets({ url: serverUrl(), isSecured, userId })
  return (
    <div class="stack">
      {isSecured && (
        <p class="note small">
          This server requires a token. Set <code>THROUGHLINE_TOKEN</code> to one signed by your issuer; the code below
          does not contain it.
        </p>
      )}
      <div class={css.ways}>
        {all.map(({ name, about, code }) => (
          <section key={name} class={css.way} aria-label={name}>
            <header class={css.head}>
              <h3>{name}</h3>
              <CopyButton text={code} label={`Copy the code for ${name}`} />
            </header>
            <p class="muted small">{about}</p>
            <pre class={`plain ${css.code}`}>{visible(code)}</pre>
          </section>
        ))}
      </div>
    </div>
  )
}

/** The address of this page, which may be below a path. */
function serverUrl(): string {
  return new URL('.', location.href).href.replace(/\/$/, '')
}
