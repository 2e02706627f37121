import { useEffect } from 'preact/hooks'
import { loadServerInfo, type ServerInfo } from './api/server-info.ts'
import { setToken, token, tokenProblem } from './api/token.ts'
import icon from './icon.svg'
import { Button } from './parts/button.tsx'
import { ErrorBoundary } from './parts/error-boundary.tsx'
import { lazy } from './parts/lazy.tsx'
import { Empty, Loading, ProblemNote } from './parts/notes.tsx'
import { ThemePicker } from './parts/theme.tsx'
import { useRequest } from './parts/use-request.ts'
import { connectHref, memoryHref, route, sessionsHref } from './route.ts'
import { SessionView } from './views/session/session-view.tsx'
import { SessionsView } from './views/sessions/sessions-view.tsx'
import { TokenView } from './views/token/token-view.tsx'

/** Titles of the views. A session sets its own. */
const TITLES = { sessions: 'Sessions', memory: 'Memory', connect: 'Connect an agent', notFound: 'Page not found' }

const ConnectView = lazy(async () => (await import('./views/connect/connect-view.tsx')).ConnectView)
const MemoryView = lazy(async () => (await import('./views/memory/memory-view.tsx')).MemoryView)

export function App() {
  const needsToken = tokenProblem.value !== undefined
  // info again for each token, even if it is the same one
  const ask = async () => ({ token: token.value, about: await loadServerInfo() })
  const info = useRequest(needsToken ? undefined : ask, [token.value, needsToken])
  // the response to another token may be about another user
  const about = !needsToken && info.value?.token === token.value ? info.value.about : undefined
  useEffect(() => {
    const { view } = route.value
    if (view !== 'session') document.title = `${TITLES[view]} · Throughline`
  }, [route.value])
  return (
    <>
      <Button look="skip" text="Skip to content" onClick={skip} />
      <Header about={about} />
      <main id="main" tabIndex={-1}>
        {needsToken && <TokenView />}
        {!needsToken && about === undefined && !info.isLoading && (
          <ProblemNote problem={info.problem} onRetry={info.reload} />
        )}
        {!needsToken && about === undefined && info.isLoading && <Loading />}
        {about !== undefined && (
          <ErrorBoundary key={route.value.view}>
            <Content />
          </ErrorBoundary>
        )}
      </main>
    </>
  )
}

/** A button, not a link: the fragment of the address holds the route. */
function skip(): void {
  document.getElementById('main')?.focus()
}

function Header({ about }: { about: ServerInfo | undefined }) {
  const { view } = route.value
  const current = (...views: string[]) => (views.includes(view) ? ('page' as const) : undefined)
  return (
    <header class="top">
      <a class="brand" href={sessionsHref()}>
        <img src={icon} alt="" width="22" height="22" />
        <span>Throughline</span>
      </a>
      <nav class="views pills" aria-label="Views">
        <a href={sessionsHref()} aria-current={current('sessions', 'session')}>
          Sessions
        </a>
        <a href={memoryHref()} aria-current={current('memory')}>
          Memory
        </a>
        <a href={connectHref()} aria-current={current('connect')}>
          Connect
        </a>
      </nav>
      <div class="who">
        {about !== undefined && <Caller about={about} />}
        {token.value !== '' && <Button look="quiet small" text="Forget token" onClick={() => setToken('')} />}
        <ThemePicker />
      </div>
    </header>
  )
}

function Caller({ about: { version, principal } }: { about: ServerInfo }) {
  const whose = principal === undefined ? 'operator' : [principal.tenant, principal.userId].filter(Boolean).join(' · ')
  return (
    <span class="muted small version" title="Whose sessions are shown, and the server version">
      {whose} · {version}
    </span>
  )
}

function Content() {
  const here = route.value
  switch (here.view) {
    case 'sessions':
      return <SessionsView />
    case 'session':
      return <SessionView key={here.id} id={here.id} tab={here.tab} />
    case 'memory':
      return <MemoryView />
    case 'connect':
      return <ConnectView />
    case 'notFound':
      return (
        <Empty title="Page not found">
          <p>
            <a href={sessionsHref()}>All sessions</a>
          </p>
        </Empty>
      )
  }
}
