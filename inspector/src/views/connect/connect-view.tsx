import { ConnectPanel } from './connect-panel.tsx'
import css from './connect-view.module.css'
import { LoadDemoButton } from './load-demo-button.tsx'

/** How to connect an agent to this server. */
export function ConnectView() {
  return (
    <div class={css.connect}>
      <h1>Connect an agent</h1>
      <p class="muted">Sessions that agents write to this server appear here live.</p>
      <section class="card">
        <h2 class="hidden">Ways to connect</h2>
        <ConnectPanel />
      </section>
      <section class="card stack">
        <h2>Try the demo</h2>
        <p class="muted">
          A team of agents adds retries and a connection pool to a service. The demo is written to this server through
          its API, in its own conversation.
        </p>
        <LoadDemoButton />
      </section>
    </div>
  )
}
