import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/api.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut, WIDE } from './inspector.ts'

let now = Date.now() - 3_600_000
const clock = { now: () => now }
const inspector = inspectorFor({ clock })

/** For a machine that has much else to do. */
const SOON = { timeout: 15_000 }

const runsOf = ({ id }: Session, query = '') => `#/sessions/${id}/runs${query}`
const rows = (page: Page) => page.getByRole('list', { name: 'Runs, newest first' }).locator('> li')

/** Five runs that ended in five ways, 10 seconds each, and one that is live. */
async function seed() {
  const session = await inspector().tl.sessions.create({ userId: 'ada', task: 'Answer the mail' })
  const pass = (ms = 10_000) => {
    now += ms
  }
  const begin = async (worker: string) => {
    pass()
    const run = await session.run({ worker })
    pass()
    return run
  }
  await (await begin('alpha')).fail(new Error('The model is overloaded'))
  const second = await begin('beta')
  await session.cancel({ reason: 'Wrong folder' })
  await second.finish()
  const third = await begin('gamma')
  await session.interrupt('Only the unread ones')
  await third.finish()
  await session.incorporate()
  await begin('delta')
  // its lease ends
  pass(60_000)
  const fifth = await begin('epsilon')
  await fifth.step('read', () => ({ unread: 3 }))
  await fifth.finish({ note: 'Three answers drafted' })
  const live = await begin('zeta')
  pass()
  return { session, live }
}

describe('the view of runs', () => {
  it('shows each run with worker, outcome and duration, and leads to its events', async () => {
    const { session, live } = await seed()
    const page = await inspector().open(runsOf(session))
    await expect.poll(() => rows(page).count(), SOON).toBe(6)
    const texts = await rows(page).allInnerTexts()
    expect(texts.slice(1).map((text) => text.split(/\s*\n\s*/).slice(0, 4))).toEqual([
      ['Run 5', 'epsilon', '✓ completed', '10 s'],
      ['Run 4', 'delta', '? lost', '1 min 20 s'],
      ['Run 3', 'gamma', '◆ interrupted', '10 s'],
      ['Run 2', 'beta', '■ cancelled', '10 s'],
      ['Run 1', 'alpha', '✗ failed', '10 s'],
    ])
    expect(texts[0]).toMatch(/^Run 6\s+zeta\s+● live/)

    const started = (await session.events({ types: ['run_started'] })).map(({ sequence }) => sequence)
    const first = rows(page).last()
    await first.getByRole('button', { name: 'Details of run 1' }).press('Enter')
    await first.getByText('The model is overloaded').waitFor()
    await first.getByText('next try').waitFor()
    await rows(page).nth(4).getByRole('button', { name: 'Details of run 2' }).click()
    await rows(page).nth(4).getByText('Wrong folder').waitFor()
    await first.getByRole('link', { name: /^Run 1 by alpha: failed/ }).click()
    await expect.poll(() => page.url(), SOON).toContain(`timeline?event=${started[0]}`)
    await page.getByRole('article', { name: `Event ${started[0]}: run started` }).waitFor()
    await live.finish()
  })

  it('grows as runs begin and end', async () => {
    const session = await inspector().tl.sessions.create({ userId: 'ada' })
    const page = await inspector().open(runsOf(session))
    await page.getByText('A run is one worker', { exact: false }).waitFor()
    await page.getByRole('status').getByText('live', { exact: true }).waitFor()
    const run = await session.run({ worker: 'alpha' })
    await rows(page).getByText('● live').waitFor()
    now += 5000
    await run.finish()
    await rows(page).getByText('✓ completed').waitFor()
    expect(await rows(page).innerText()).toContain('5.0 s')
  })

  it('zooms to the last runs, to one run, in and out, and keeps that in the address', async () => {
    const session = await inspector().tl.sessions.create({ userId: 'ada' })
    for (let i = 0; i < 12; i++) {
      now += 20_000
      const run = await session.run({ worker: 'alpha' })
      now += 20_000
      await run.finish()
    }
    const page = await inspector().open(runsOf(session))
    const count = page.getByRole('region', { name: 'Runs', exact: true }).getByRole('status').first()
    await expect.poll(() => count.innerText(), SOON).toBe('12 runs')
    await page.getByRole('button', { name: 'Last 10' }).click()
    await expect.poll(() => count.innerText(), SOON).toBe('10 of 12 runs')
    expect(page.url()).toContain('last=10')
    await page.getByRole('button', { name: 'Last run' }).click()
    await expect.poll(() => rows(page).count(), SOON).toBe(1)
    expect(await rows(page).innerText()).toContain('Run 12')
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await expect.poll(() => rows(page).count(), SOON).toBe(12)
    for (let i = 0; i < 2; i++) await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(() => rows(page).count(), SOON).toBeLessThan(6)
    const middle = await rows(page).first().innerText()
    await page.getByRole('button', { name: 'Later' }).click()
    await expect.poll(() => rows(page).first().innerText(), SOON).not.toBe(middle)
    const address = page.url()
    await page.reload()
    expect(page.url()).toBe(address)
    await rows(page)
      .first()
      .getByRole('button', { name: /^Details/ })
      .click()
    await page.getByRole('button', { name: 'Zoom to this run' }).click()
    await expect.poll(() => rows(page).count(), SOON).toBe(1)
    const out = page.getByRole('button', { name: 'Zoom out' })
    while ((await out.getAttribute('aria-disabled')) !== 'true') await out.click()
    await expect.poll(() => count.innerText(), SOON).toBe('12 runs')
  })

  it('shows 500 runs in parts', async () => {
    const session = await inspector().tl.sessions.create({ userId: 'ada' })
    for (let i = 0; i < 500; i++) {
      now += 1000
      const run = await session.run({ worker: `${i} ${'w'.repeat(150)}` })
      now += 1000
      await run.finish({ note: 'x'.repeat(500) })
    }
    const page = await inspector().open(runsOf(session), { viewport: NARROW })
    await page.getByText('500 runs', { exact: true }).waitFor()
    expect(await rows(page).count()).toBe(100)
    expect(await sticksOut(page)).toBe(false)
    await page.getByRole('button', { name: 'Show 100 of 400 more' }).click()
    await expect.poll(() => rows(page).count(), SOON).toBe(200)
  })
})

describe('the live run', () => {
  it('is shown in the list and in the session, and stops on request', async () => {
    const { tl, open } = inspector()
    const session = await tl.sessions.create({ userId: 'ada', task: 'Sort the photos' })
    const run = await session.run({ worker: 'alpha' })
    const page = await open()
    const row = page.getByRole('row', { name: /Sort the photos/ })
    await row.getByText('live run:').waitFor()
    expect(await row.innerText()).toContain('alpha')
    await row.getByRole('link').click()

    const head = page.getByRole('region', { name: 'Live run' })
    await head.getByText('alpha').waitFor()
    await head.getByRole('button', { name: 'Stop run …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('These are the wrong ones')
    await dialog.getByRole('button', { name: 'Stop run' }).click()
    await head.getByText('asked to stop').waitFor()
    await head.getByText('These are the wrong ones').waitFor()
    expect(await head.getByRole('button').count()).toBe(0)
    await expect.poll(() => run.signal.aborted, SOON).toBe(true)
    expect((await session.record()).run?.cancelled?.reason).toBe('These are the wrong ones')
    const { sequence } = (await session.events({ types: ['cancel_requested'] }))[0] ?? { sequence: 0 }
    await page.getByRole('region', { name: 'Actions' }).getByText('Asked to stop.').waitFor()
    await page.getByRole('link', { name: `Event ${sequence}`, exact: true }).waitFor()

    await page.getByRole('link', { name: 'All sessions' }).click()
    await row.getByText('asked to stop run:').waitFor()
    await row.getByRole('link').click()
    await run.finish()
    await head.waitFor({ state: 'detached' })
  })

  it('says so if it ended before it was asked to stop, or the server refuses', async () => {
    const { tl, open, allow } = inspector()
    const session = await tl.sessions.create({ userId: 'ada' })
    const run = await session.run()
    const page = await open(`#/sessions/${session.id}/state`)
    await page.getByRole('button', { name: 'Stop run …' }).click()
    await run.finish()
    await page.getByRole('region', { name: 'Live run', includeHidden: true }).waitFor({ state: 'detached' })
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Stop run' }).click()
    await page.getByText('The run had already ended.').waitFor()

    await session.run()
    await page.getByRole('button', { name: 'Stop run …' }).click()
    await session.end()
    allow(/409|status of 4/)
    await dialog.getByRole('button', { name: 'Stop run' }).click()
    await dialog.getByText('SESSION_ENDED').waitFor()
  })
})

describe('the timeline', () => {
  it('has a line for each event of a run, and a filter for them', async () => {
    const { session } = await seed()
    await session.wakeAt(new Date(now + 60_000), { key: 'daily', prompt: 'Read the mail' })
    const page = await inspector().open(`#/sessions/${session.id}/timeline?show=runs`)
    const feed = page.getByRole('feed')
    const line = (text: string | RegExp) => feed.getByRole('button', { name: text }).first().waitFor()
    await line('run 6 started by zeta')
    await line('run 5 completed Three answers drafted')
    await line('step read → { "unread": 3 }')
    await line('run 2 cancelled')
    await line('stop asked to stop: Wrong folder')
    await line(/^wake at .* \(daily\): Read the mail$/)
    expect(await feed.getByRole('article', { name: /status changed/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await feed
      .getByRole('article', { name: /status changed/ })
      .first()
      .waitFor()
  })
})

/** Twelve events: 2 was asked again as 5, and 6 to 9 were left for 4. */
async function rewound() {
  const session = await inspector().tl.sessions.create({ userId: 'ada', task: 'Plan the trip' })
  await session.append({ type: 'user_message', content: 'To Rome, please.' })
  await session.append({ type: 'model_message', content: 'Rome it is.' })
  await session.replaceMessage(2, { role: 'user', content: 'To Oslo, please.' })
  await session.append({ type: 'model_message', content: 'Oslo it is.' })
  await session.append({ type: 'user_message', content: 'By ship?' })
  await session.rewind({ to: 6, reason: 'Nobody has that much time' })
  return session
}

describe('a session with rewinds', () => {
  it('has hidden events with the reason, and branches that lead to theirs', async () => {
    const session = await rewound()
    const page = await inspector().open(`#/sessions/${session.id}/timeline?group=no`)
    const feed = page.getByRole('feed')
    await feed.getByText('left by the rewind in event #8: Nobody has that much time').waitFor()
    await feed.getByRole('article', { name: 'Event 7: user message, on a branch' }).waitFor()
    await feed.getByRole('article', { name: 'Event 3: model message, on a branch' }).waitFor()
    await feed.getByRole('article', { name: 'Event 5: user message', exact: true }).waitFor()
    await feed.getByRole('button', { name: 'rewound to event 6: Nobody has that much time' }).waitFor()
    const branches = page.getByRole('group').filter({ hasText: '2 branches' })
    await branches.getByText('2 branches').press('Enter')
    await branches.getByRole('link', { name: 'By ship?' }).waitFor()
    await branches.getByText('Nobody has that much time').waitFor()
    await branches.getByRole('link', { name: 'To Rome, please.' }).click()
    await expect.poll(() => page.url(), SOON).toContain('event=2')
    await feed.locator('[aria-current="true"]').getByText('To Rome, please.').waitFor()
  })

  it('comes from a message that is edited', async () => {
    const session = await inspector().tl.sessions.create({ userId: 'ada' })
    await session.append({ type: 'user_message', content: 'To Rome, please.' })
    await session.append({ type: 'model_message', content: 'Rome it is.' })
    await session.append({ type: 'user_message', content: 'And back.' })
    const page = await inspector().open(`#/sessions/${session.id}/timeline`)
    const row = (sequence: number) => page.getByRole('article', { name: `Event ${sequence}: user message` })
    const edit = async (sequence: number) => {
      if (!(await row(sequence).getByText('Edit and retry').isVisible()))
        await row(sequence).getByRole('button', { name: 'user' }).click()
      await row(sequence).getByRole('button', { name: 'Edit and retry from here …' }).click()
    }
    const dialog = page.getByRole('dialog')
    const field = dialog.getByLabel('Message')
    await row(4).waitFor()
    await edit(4)
    await expect.poll(() => field.inputValue(), SOON).toBe('And back.')
    await field.fill('And back on Monday.')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await edit(4)
    await expect.poll(() => field.inputValue(), SOON).toBe('And back on Monday.')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await edit(2)
    await expect.poll(() => field.inputValue(), SOON).toBe('To Rome, please.')
    await field.fill('To Oslo, please.')
    // a live run of somebody else blocks it
    const run = await session.run({ worker: 'alpha' })
    inspector().allow(/409|status of 4/)
    await dialog.getByRole('button', { name: 'Retry from here' }).click()
    await dialog.getByText('RUN_ACTIVE').waitFor()
    await run.finish()
    await dialog.getByRole('button', { name: 'Retry from here' }).click()
    await page.getByText('Continued from the new message.').waitFor()
    expect((await session.messages()).map(({ content }) => content)).toEqual(['To Oslo, please.'])
    await page.getByRole('article', { name: 'Event 2: user message, on a branch' }).waitFor()
    await page.getByText('1 branch', { exact: true }).waitFor()
  })
})

it('everything about runs passes axe, wide and narrow, in light and dark', async () => {
  const { session } = await seed()
  const branched = await rewound()
  const empty = await inspector().tl.sessions.create({ userId: 'ada' })
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [WIDE, NARROW]) {
      const page = await inspector().open(runsOf(session), { colorScheme, viewport })
      const check = async (what: string) => {
        expect(await axeFindings(page), what).toEqual([])
        expect(await sticksOut(page), what).toBe(false)
      }
      await rows(page).last().getByRole('button').click()
      await page.getByText('The model is overloaded').waitFor()
      await check('runs')
      await page.getByRole('button', { name: 'Stop run …' }).click()
      await page.getByRole('dialog').waitFor()
      await check('dialog')
      await page.goto(`${inspector().url}/#/sessions/${session.id}/timeline?show=runs`)
      await page.reload()
      await page.getByRole('feed').waitFor()
      await check('timeline')
      await page.goto(`${inspector().url}/#/sessions/${branched.id}/timeline`)
      await page.getByText('2 branches').click()
      await page.getByRole('link', { name: 'To Rome, please.' }).waitFor()
      await page.getByRole('article', { name: 'Event 5: user message' }).getByRole('button', { name: 'user' }).click()
      await page.getByRole('button', { name: 'Edit and retry from here …' }).waitFor()
      await check('branches')
      await page.goto(`${inspector().url}/${runsOf(empty)}`)
      await page.getByText('No runs yet').waitFor()
      await check('empty')
      await page.goto(`${inspector().url}/#/`)
      await page.getByText('live run:').first().waitFor()
      await check('list')
    }
  }
})
