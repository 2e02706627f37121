import { ConnectPanel } from './connect-panel.tsx'
import css from './connect-view.module.css'
import { LoadDemoButton } from './load-demo-button.tsx'

/** How to connect an agent to this server. */
export function ConnectView() {
  return (
    <div class={css.connect}>
      <h1>Connect an agent</h1>
      <p class="muted">Whatever writes to this server, in any language, is seen here as it happens.</p>
      <section class="card">
        <h2 class="hidden">Ways to connect</h2>
        <ConnectPanel />
      </section>
      <section class="card stack">
        <h2>Nothing at hand?</h2>
        <p class="muted">
          The demo is a conversation of a team of agents that mends a flaky checkout. It is written through the API of
          this server, into a conversation of its own.
        </p>
        <LoadDemoButton />
      </section>
    </div>
  )
}
