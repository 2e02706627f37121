import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { operatorToken, SECRET, tokenOf } from '../servers/http.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

const inspector = inspectorFor({ jwt: { secret: SECRET }, durability: 'relaxed' })
const ada = (expires = '1h') => tokenOf({ tenant: 'acme', sub: 'ada' }, { expires })

beforeAll(async () => {
  const { tl } = inspector()
  await tl.sessions.create({ tenant: 'acme', userId: 'ada', conversationId: 'a', task: 'Of Ada' })
  await tl.sessions.create({ tenant: 'acme', userId: 'bob', conversationId: 'b', task: 'Of Bob' })
})

const asks = (page: Page) => page.getByRole('heading', { name: 'This server requires a token' }).waitFor()
const shows = (page: Page, task: string) => page.getByRole('link', { name: task }).waitFor()

async function give(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token)
  await page.keyboard.press('Enter')
}

describe('a server with a token key', () => {
  it('asks for a token, says why one is rejected, and keeps a valid one for the tab only', async () => {
    const { open, allow, url } = inspector()
    allow(/401/)
    const page = await open()
    await asks(page)
    expect(await page.getByLabel('Token', { exact: true }).evaluate((field) => field === document.activeElement)).toBe(
      true,
    )
    expect(await axeFindings(page)).toEqual([])

    const forged = await tokenOf(
      { tenant: 'acme', sub: 'ada' },
      { secret: 'another secret of thirty-two bytes and more' },
    )
    for (const wrong of ['nonsense', forged, forged]) {
      await give(page, wrong)
      await page.getByRole('alert').filter({ hasText: 'Token rejected:' }).waitFor()
    }
    await give(page, 'tökén')
    await page.getByRole('alert').filter({ hasText: 'a token has no spaces' }).waitFor()
    const token = await ada()
    await give(page, `Bearer ${token}`)
    await shows(page, 'Of Ada')
    expect(await page.getByRole('row').count()).toBe(2)
    await page.getByText('acme · ada').waitFor()

    const kept = await page.evaluate(() => ({
      tab: Object.values(sessionStorage),
      browser: JSON.stringify(localStorage),
      cookies: document.cookie,
      address: location.href,
    }))
    expect(kept.tab).toEqual([token])
    expect(kept.browser + kept.cookies + kept.address).not.toContain(token)
    expect(await page.context().cookies()).toEqual([])

    await page.reload()
    await shows(page, 'Of Ada')
    const other = await page.context().newPage()
    await other.goto(`${url}/`)
    await asks(other)

    // also when nobody answers
    await page.route('**/v1', () => undefined)
    await page.getByRole('button', { name: 'Forget token' }).click()
    await asks(page)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    expect(await page.getByText('acme · ada').count()).toBe(0)
    await give(page, await tokenOf({ tenant: 'acme', sub: 'bob' }))
    await page.getByRole('button', { name: 'Forget token' }).waitFor()
    expect(await page.getByText('acme · ada').count()).toBe(0)
  })

  it('keeps a draft when a token expires, but not for the next user', async () => {
    const { open, allow, tl } = inspector()
    allow(/401/)
    const session = await tl.sessions.create({ tenant: 'acme', userId: 'ada', conversationId: 'draft', task: 'Draft' })
    await session.ask('Which day?')
    const page = await open(`#/sessions/${session.id}`, { token: await ada() })
    const answer = page.getByLabel('Your answer')
    await answer.fill('Monday')
    const authorization = `Bearer ${await ada('1s ago')}`
    await page.route('**/v1/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization } }),
    )
    await answer.press('Control+Enter')
    await asks(page)
    await page.unroute('**/v1/**')
    await give(page, await ada('2h'))
    await expect.poll(() => answer.inputValue()).toBe('Monday')
    expect(await page.getByText('question changed').count()).toBe(0)
    await page.getByRole('button', { name: 'Forget token' }).click()
    await give(page, await ada())
    await expect.poll(() => answer.inputValue()).toBe('')
  })

  it('asks again when a token has expired, and stays at the same place', async () => {
    const { open, allow } = inspector()
    allow(/401/)
    const page = await open('#/?chatmode=default&q=ada', {
      token: await ada(),
      viewport: NARROW,
      colorScheme: 'dark',
    })
    await shows(page, 'Of Ada')
    // the time of the token has come
    const authorization = `Bearer ${await ada('1s ago')}`
    await page.route('**/v1/**', (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization } }),
    )
    await asks(page)
    await page.unroute('**/v1/**')
    await page.getByRole('alert').filter({ hasText: 'expired' }).waitFor()
    expect(await sticksOut(page)).toBe(false)
    expect(await axeFindings(page)).toEqual([])
    await give(page, await ada())
    await shows(page, 'Of Ada')
    expect(await page.getByLabel('Search').inputValue()).toBe('ada')
    expect(page.url()).toContain('chatmode=default')
  })

  it('shows any tenant to an operator, and how to connect with a token', async () => {
    const token = await operatorToken()
    const page = await inspector().open('', { token })
    await page.getByText('Tenant “local” has no sessions. Choose a tenant above.').waitFor()
    expect(await page.getByRole('button', { name: 'Load the demo conversation' }).count()).toBe(0)
    await page.getByLabel('Tenant').fill('acme')
    await page.keyboard.press('Enter')
    await shows(page, 'Of Ada')
    await shows(page, 'Of Bob')
    expect(page.url()).toContain('tenant=acme')
    await page.getByRole('link', { name: 'Connect' }).click()
    await page.getByText('THROUGHLINE_TOKEN').first().waitFor()
    expect(await page.getByRole('main').innerText()).not.toContain(token)
  })

  it('plays the demo for a single user', async () => {
    const { open, tl } = inspector()
    const page = await open('#/connect', { token: await tokenOf({ tenant: 'acme', sub: 'carol' }) })
    await page.getByRole('button', { name: 'Load the demo conversation' }).click()
    await page.waitForURL(/#\/sessions\/.+/, { timeout: 50_000 })
    const { items } = await tl.sessions.list({ tenant: 'acme', userId: 'carol' })
    expect(items.map(({ status }) => status.state)).toEqual(['awaiting_user', 'complete', 'running', 'aborted'])
  })
})
