/** The page at `/`. */
export function landingPage(version: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Throughline</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  body { max-width: 42rem; margin: 4rem auto; padding: 0 1rem }
  pre { padding: 1rem; overflow-x: auto; background: color-mix(in srgb, currentColor 8%, transparent) }
</style>
</head>
<body>
<h1>Throughline ${version}</h1>
<p>This server keeps the sessions of AI agents: one append-only log each, with views on top.</p>
<pre>import { open } from 'throughline'

const tl = await open('<span id="origin">http://127.0.0.1:4747</span>')
const session = await tl.sessions.getOrCreate({ userId: 'ada' })
await session.addMessage({ role: 'user', content: 'Hello' })</pre>
<ul>
<li><a href="/openapi.json">/openapi.json</a>: every route, for programs</li>
<li><a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a>: whether it lives, and whether its store answers</li>
<li><a href="/metrics">/metrics</a>: figures for Prometheus</li>
</ul>
<script>document.getElementById('origin').textContent = location.origin</script>
</body>
</html>
`
}
