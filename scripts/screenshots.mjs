// Takes the screenshots of docs/images/: every view of the inspector with the demo conversation, light and dark, wide
// and narrow. Needs a build and Debian's chromium. For another folder or only some views: node
// scripts/screenshots.mjs FOLDER timeline time
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { serve } from '../dist/server.js'
import { requireProgram } from '../test/servers/program.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const [folder = join(root, 'docs/images'), ...only] = process.argv.slice(2)

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 360, height: 740 } }
const TABS = ['timeline', 'state', 'time', 'agents', 'work', 'context', 'memory']

/** The steps of a reader before a view shows something. */
const PREPARE = {
  timeline: (page) =>
    page
      .getByRole('button', { name: /read_file/ })
      .first()
      .click(),
  graph: (page) => page.getByRole('button', { name: 'Fit' }).click(),
  memories: (page) => page.locator('main a[href*="memory="]').first().click(),
}

const data = mkdtempSync(join(tmpdir(), 'throughline-screenshots-'))
const server = await serve({ url: `sqlite:${join(data, 'sessions.db')}`, port: 0, log: 'silent' })
const browser = await chromium.launch({ executablePath: requireProgram('chromium') })

async function capture(name, hash, theme, size) {
  if (only.length > 0 && !only.includes(name)) return
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: theme,
    deviceScaleFactor: size === 'narrow' ? 2 : 1,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto(`${server.url}/${hash}`)
  // a session keeps a stream open, so the network is never idle
  await page.waitForFunction(() => document.querySelector('main')?.childElementCount > 0)
  await page.waitForTimeout(1500)
  await page.waitForFunction(() => document.querySelector('main .loading') === null)
  await PREPARE[name]?.(page)
  // otherwise the header above a view would fill the whole picture
  if (size === 'narrow') await page.evaluate(() => document.querySelector('nav.tabs')?.scrollIntoView())
  await page.evaluate(() => document.fonts.ready)
  const client = await context.newCDPSession(page)
  const { data: image } = await client.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  writeFileSync(join(folder, `inspector-${name}-${theme}-${size}.webp`), Buffer.from(image, 'base64'))
  if (process.env['PNG'] !== undefined)
    await page.screenshot({ path: join(folder, `inspector-${name}-${theme}-${size}.png`) })
  await context.close()
}

async function captureAll(name, hash) {
  for (const theme of ['light', 'dark']) for (const size of ['wide', 'narrow']) await capture(name, hash, theme, size)
}

/** Loads the demo as a first-time user does. @returns the id of the session to show */
async function loadDemo() {
  const page = await browser.newPage()
  await page.goto(server.url)
  await page.getByRole('button', { name: 'Load the demo conversation' }).click()
  await page.waitForURL(/#\/sessions\/[0-9a-f-]+/)
  const [, id] = /sessions\/([0-9a-f-]+)/.exec(page.url()) ?? []
  await page.close()
  return id
}

try {
  mkdirSync(folder, { recursive: true })
  await captureAll('first-run', '')
  const id = await loadDemo()
  await captureAll('sessions', '')
  for (const tab of TABS) await captureAll(tab, `#/sessions/${id}/${tab}${tab === 'timeline' ? '?event=12' : ''}`)
  await captureAll('graph', `#/sessions/${id}/work?part=graph`)
  await captureAll('commits', `#/sessions/${id}/work?part=commits`)
  await captureAll('memories', '#/memory')
} finally {
  await browser.close()
  await server.close()
  rmSync(data, { recursive: true, force: true })
}
