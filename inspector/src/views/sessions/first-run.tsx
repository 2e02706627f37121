import { ConnectPanel } from '../connect/connect-panel.tsx'
import { LoadDemoButton } from '../connect/load-demo-button.tsx'
import css from './first-run.module.css'

/** Shown while there are no sessions: the demo, and how to connect an agent. */
export function FirstRun() {
  return (
    <div class={css.first}>
      <section class={css.hero}>
        <h1>No sessions yet</h1>
        <p class="muted">
          Sessions appear here as soon as an agent writes one. To look around first, load the demo: a team of agents
          adds retries and a connection pool to a service, with tool calls, handoffs, work and memories.
        </p>
        <LoadDemoButton isPrimary />
      </section>
      <section class="card stack">
        <h2>Connect an agent</h2>
        <ConnectPanel />
      </section>
    </div>
  )
}
