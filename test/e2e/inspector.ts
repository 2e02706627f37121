import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Throughline } from '../../src/api.ts'
import type { ServeOptions } from '../../src/serve.ts'
import { startServer } from '../servers/http.ts'
import { requireProgram } from '../servers/program.ts'
import { temporaryFolder } from '../servers/test-run.ts'

/** A real browser and a real server on SQLite. Errors and warnings on the page's console fail the test. */
export interface Inspector {
  /** The server's store, without HTTP in between. */
  readonly tl: Throughline
  /** Address of the page. */
  readonly url: string
  /** Opens a new tab at a route such as `#/sessions/…`. */
  open(hash?: string, options?: TabOptions): Promise<Page>
  /** Allows a console message in this test. Browsers also log refusals, such as `409`. */
  allow(pattern: RegExp): void
}

interface TabOptions extends BrowserContextOptions {
  /** Token of the tab, as if it had been typed in. */
  token?: string
}

/** Window sizes that every view has to fit. */
export const NARROW = { width: 360, height: 740 }
export const WIDE = { width: 1440, height: 900 }

/** Starts both before the tests of a file and stops them after. Without `options`, no token key: tenant `local`. */
export function inspectorFor(options: ServeOptions = {}): () => Inspector {
  let browser: Browser
  let server: Awaited<ReturnType<typeof startServer>>
  let remove: () => void
  let said: string[] = []
  let allowed: RegExp[] = []

  beforeAll(async () => {
    const built = new URL('../../dist/inspector/index.html', import.meta.url)
    if (!existsSync(built)) throw new Error('the inspector is not built: run node scripts/build.mjs')
    const folder = temporaryFolder('tl-e2e-')
    remove = folder.remove
    server = await startServer({ url: `sqlite:${folder.path}/a.db`, jwt: undefined as never, ...options })
    browser = await chromium.launch({ executablePath: requireProgram('chromium') })
  })
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()))
    const wrong = said.filter((line) => !allowed.some((pattern) => pattern.test(line)))
    said = []
    allowed = []
    expect(wrong, 'said on the console').toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    remove?.()
  })

  return () => ({
    tl: server.tl,
    url: server.url,
    allow: (pattern) => void allowed.push(pattern),
    async open(hash = '', { token, ...tab } = {}) {
      const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce', ...tab })
      context.setDefaultTimeout(15_000)
      const page = await context.newPage()
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) said.push(`${message.type()}: ${message.text()}`)
      })
      page.on('pageerror', (error) => void said.push(`thrown: ${error.stack ?? error.message}`))
      // no request to any other server, whatever a session contains
      page.on('request', (request) => {
        if (!request.url().startsWith(`${server.url}/`)) said.push(`request to ${request.url().slice(0, 200)}`)
      })
      if (token !== undefined)
        await page.addInitScript((value) => sessionStorage.setItem('throughline.token', value), token)
      await page.goto(`${server.url}/${hash}`)
      return page
    },
  })
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Serious and critical findings of axe, each with its rule and element. */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    return await axe.run({ resultTypes: ['violations'] })
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`))
}

/** Whether the page is wider than its window. */
export async function sticksOut(page: Page): Promise<boolean> {
  return await page.evaluate(() => {
    const { documentElement: root } = document
    const main = document.querySelector('main')
    return root.scrollWidth > innerWidth || (main !== null && main.scrollWidth > main.clientWidth)
  })
}

/** Collects the durations of tasks above 50 ms in `window.seen.long`, from now on. */
export async function watchLongTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen = { long: [] as number[] }
    Object.assign(window, { seen })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.long.push(Math.round(duration))
    }).observe({ type: 'longtask' })
  })
}

/** The durations that {@link watchLongTasks} has collected, in milliseconds. */
export async function longTasks(page: Page): Promise<number[]> {
  return await page.evaluate(() => (window as unknown as { seen: { long: number[] } }).seen.long)
}
