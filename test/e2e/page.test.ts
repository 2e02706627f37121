import { once } from 'node:events'
import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { inspectorFor } from './inspector.ts'

const inspector = inspectorFor()

/** What the server says to a path as it is: `fetch` would tidy it up. */
async function answerTo(path: string): Promise<unknown> {
  const [response] = await once(get(inspector().url, { path }), 'response')
  return await json(response)
}

describe('the page', () => {
  it('has a strict Content-Security-Policy, and its files are cacheable', async () => {
    const { url } = inspector()
    const page = await fetch(`${url}/`)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(page.headers.get('cache-control')).toBe('public, max-age=0')
    const text = await page.text()
    expect(text).not.toMatch(/<style|<script(?![^>]* src=)| on\w+=| style=/)
    const [script] = /assets\/[^"]+\.js/.exec(text) ?? []
    const asset = await fetch(`${url}/${script}`, { headers: { 'accept-encoding': 'br' } })
    expect(asset.status).toBe(200)
    expect(asset.headers.get('cache-control')).toContain('immutable')
    expect(asset.headers.get('content-encoding')).toBe('br')
    expect(asset.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('serves nothing but its own files', async () => {
    for (const path of [
      '/assets/',
      '/assets/.',
      '/assets/nothing.js',
      '/assets/%00',
      '/assets/../index.html',
      '/assets/..%2findex.html',
      '/assets/%2e%2e/%2e%2e/package.json',
      '/assets//etc/passwd',
    ]) {
      expect(await answerTo(path), path).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND' })
    }
  })

  it('shows a note at an unknown address', async () => {
    const page = await inspector().open('#/elsewhere')
    await page.getByText('Page not found').waitFor()
    await page.getByRole('link', { name: 'All sessions' }).click()
    await expect.poll(() => page.url()).toMatch(/#\/$/)
  })

  it('runs no foreign script, even if one gets into the page', async () => {
    const { open, allow } = inspector()
    allow(/Content Security Policy|Trusted Type|TrustedHTML|TrustedScript/i)
    const page = await open('#/connect')
    await page.getByRole('banner').waitFor()
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script')
      try {
        script.textContent = 'window.ran = true'
      } catch {}
      document.body.append(script)
      try {
        document.body.insertAdjacentHTML('beforeend', '<img src="x" onerror="window.ran = true">')
      } catch {}
      await new Promise(requestAnimationFrame)
      return 'ran' in window
    })
    expect(ran).toBe(false)
  })
})
