import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Session } from '../../src/api.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

const inspector = inspectorFor()
const place = (session: Session, part = 'overview') => `#/sessions/${session.id}/work?part=${part}`

/** Another place in the same tab. */
async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((value) => {
    location.hash = value
  }, hash)
}

/** A session that reads, asks, decides, writes, tests, and is confirmed; its conversation goes on with two others. */
async function retries() {
  const { tl } = inspector()
  const say = async (message: string): Promise<Session> => {
    const { session } = await tl.conversations.handle('c-work', { userId: 'ada', message })
    if (session === undefined) throw new Error('there is a session')
    return session
  }
  const done = await say('Add retry logic to the connect function')
  done.observe.fileRead({ path: 'src/connect.ts' })
  done.observe.command({ command: 'npm test', exitCode: 1, output: 'FAIL: 3 of 4' })
  done.observe.plan('First read, then write')
  await done.flushStep()
  await done.ask('A fixed pause, or one that grows?')
  await say('Option B')
  done.observe.note('Decision: the pause doubles')
  done.observe.fileWrite({ path: 'src/connect.ts', content: 'x'.repeat(1400) })
  done.observe.command({ command: 'npm test', exitCode: 0 })
  done.observe.relations([
    {
      from: 'file:src/connect.ts',
      label: 'imports',
      to: 'file:src/config.ts',
      evidence: { tool: 'tsc', confidence: 0.9 },
    },
    { from: 'file:src/config.ts', label: 'defines', to: 'item:retries' },
  ])
  await done.propose('connect() tries again.')
  await done.confirm()
  const given = await say("Now let's add connection pooling")
  await given.abort('no time')
  return { done, given, live: await say('Write the changelog') }
}

describe('the work of a session', () => {
  let sessions: Awaited<ReturnType<typeof retries>>
  beforeAll(async () => {
    sessions = await retries()
  })

  it('shows files, commands and notes with their events, and filters them', async () => {
    const page = await inspector().open(place(sessions.done))
    const file = page.getByRole('row', { name: 'src/connect.ts' })
    await file.waitFor()
    expect(await file.innerText()).toMatch(/1×\s+1×\s+#\d+ .* ago\s+[0-9a-f]{10}\s+1\.4 kB/)

    const commands = page.getByRole('region', { name: 'Commands' })
    expect(await commands.innerText()).toMatch(/npm test\s+exit 0\s+2 times\s+failed once/)

    const words = page.getByRole('region', { name: 'Decisions, notes and plans' })
    await words.getByText('state change: question').waitFor()
    await words.getByRole('combobox').selectOption('Decisions')
    expect(await words.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/decision.*the pause doubles/s),
    ])

    await page.getByRole('searchbox').fill('CONNECT')
    await page.getByText('0 of 1').waitFor()
    expect(await file.count()).toBe(1)

    await file.getByRole('link', { name: /^Event/ }).click()
    await expect.poll(() => page.url()).toMatch(/timeline\?event=\d+$/)
  })

  it('lists the steps, newest first, with collapsed observations', async () => {
    const page = await inspector().open(place(sessions.done, 'steps'))
    const steps = page.getByRole('region', { name: 'Steps' })
    await steps.getByText('newest first').waitFor()
    expect(await steps.getByRole('listitem').first().innerText()).toContain('confirmation')
    expect(await steps.getByText('FAIL: 3 of 4').count()).toBe(0)
    await steps.getByText('1 file read, 1 command, 1 plan').click()
    await steps.getByText('Output (12 characters)').click()
    await steps.getByText('FAIL: 3 of 4').waitFor()
    await steps.getByText('First read, then write').waitFor()
  })

  it('moves through the graph from node to node and back, and shows the evidence of a relation', async () => {
    const page = await inspector().open(place(sessions.done, 'graph'))
    const graph = page.getByRole('group', { name: /^Graph of/ })
    await graph.getByRole('link', { name: 'task Add retry logic' }).waitFor()
    await graph.getByRole('link', { name: 'decision the pause doubles' }).waitFor()
    await graph.getByRole('link', { name: 'file src/config.ts' }).waitFor()
    expect(await graph.getByRole('link', { name: 'item retries' }).count()).toBe(0)

    await graph.getByRole('link', { name: 'file src/connect.ts' }).click()
    await graph.getByRole('link', { name: 'item retries' }).waitFor()
    await graph.getByRole('button', { name: 'src/connect.ts imports src/config.ts' }).click()
    const evidence = page.getByRole('region', { name: 'Evidence' })
    expect(await evidence.innerText()).toMatch(/stated in #\d+\s+tool tsc\s+confidence 90%/)

    const way = page.getByRole('navigation', { name: 'Graph trail' })
    await page.goBack()
    await graph.getByRole('link', { name: 'item retries' }).waitFor({ state: 'detached' })
    await way.waitFor({ state: 'detached' })
    await page.goForward()
    await way.getByRole('link', { name: /Add retry logic/ }).click()
    await page.getByRole('region', { name: 'Center node' }).getByText('task:session').waitFor()
  })

  it('changes depth, direction and labels, and shows the graph as a list', async () => {
    const page = await inspector().open(`${place(sessions.done, 'graph')}&node=file:src/connect.ts`)
    const graph = page.getByRole('group', { name: /^Graph of/ })
    await graph.getByRole('link', { name: 'item retries' }).waitFor()
    await page.getByRole('combobox', { name: 'Depth' }).selectOption('1')
    await graph.getByRole('link', { name: 'item retries' }).waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Direction' }).selectOption('outgoing')
    await graph.getByRole('link', { name: 'file src/config.ts' }).waitFor()
    await page.getByRole('button', { name: 'List' }).click()
    const rows = page.getByRole('region', { name: 'Table of relations' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByRole('checkbox', { name: 'imports' }).check()
    await expect.poll(() => rows.count()).toBe(2)
    expect(await rows.last().innerText()).toMatch(/src\/connect\.ts\s+imports\s+file src\/config\.ts\s+stated in/)
    await page.reload()
    await expect.poll(() => rows.count()).toBe(2)
  })

  it('works by keyboard alone, with one tab stop for the graph', async () => {
    const page = await inspector().open(`${place(sessions.done, 'graph')}&node=file:src/config.ts&direction=out`)
    const graph = page.getByRole('group', { name: /^Graph of/ })
    const centre = graph.getByRole('link', { name: 'file src/config.ts' })
    await centre.waitFor()
    await page.getByRole('button', { name: 'Fit' }).focus()
    await page.keyboard.press('Tab')
    const focused = () => page.evaluate('document.activeElement.getAttribute("data-item")')
    expect(await focused()).toBe('file:src/config.ts')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Evidence' }).getByText('confidence 100%').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('region', { name: 'Evidence' }).waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe('item:retries')
    const width = async () => (await centre.boundingBox())?.width ?? 0
    const before = await width()
    await page.keyboard.press('+')
    await expect.poll(width).toBeGreaterThan(before)
    await page.keyboard.press('Tab')
    expect(await focused()).toBe(null)
  })

  it('shows the error of the server for an invalid node', async () => {
    const { open, allow } = inspector()
    allow(/400/)
    const page = await open(place(sessions.done, 'graph'))
    await page.getByRole('combobox', { name: 'Go to a node' }).fill('nonsense')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('alert').innerText()).toMatch(/VALIDATION/)
    expect(await page.getByRole('region', { name: 'Center node' }).count()).toBe(0)
    expect(await page.getByRole('navigation', { name: 'Graph trail' }).count()).toBe(0)
  })

  it('shows the chain of commits with the events that each covers', async () => {
    const { done, given, live } = sessions
    const page = await inspector().open(place(done, 'commits'))
    const first = page.getByRole('article', { name: 'Commit 1' })
    await first.getByText('this session', { exact: true }).first().waitFor()
    expect(await first.innerText()).toMatch(
      /normal.*Decisions 1\s+the pause doubles.*covers events 1–\d+ of this session/s,
    )
    expect(await first.getByRole('link', { name: '1', exact: true }).getAttribute('href')).toContain(
      `${done.id}/timeline?event=1`,
    )
    const second = page.getByRole('article', { name: 'Commit 2' })
    expect(await second.innerText()).toMatch(/abandoned.*follows commit 1/s)
    await second.getByRole('link', { name: /…/ }).click()
    await expect.poll(() => page.url()).toContain(`${given.id}/work`)
    await goTo(page, place(live, 'commits'))
    await page.getByText('Its commit is created when it ends').waitFor()
  })

  it('follows a live session without closing open steps or losing typed text', async () => {
    const { live } = sessions
    const page = await inspector().open(place(live))
    await page.getByText('No work recorded in this session.').waitFor()
    await page.getByText('session.observe.fileWrite').waitFor()
    live.observe.fileWrite({ path: 'CHANGELOG.md', content: 'One' })
    await live.flushStep()
    await page.getByRole('row', { name: 'CHANGELOG.md' }).waitFor()
    await page.getByRole('searchbox').fill('md')
    live.observe.fileWrite({ path: 'docs/new.md', content: 'Two' })
    await live.flushStep()
    await page.getByRole('row', { name: 'docs/new.md' }).waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('md')

    await goTo(page, place(live, 'steps'))
    await page.getByText('1 file written').last().click()
    live.observe.note('Almost done')
    await live.flushStep()
    await page.getByText('1 note').waitFor()
    await page.getByRole('region', { name: 'Steps' }).getByText('CHANGELOG.md').waitFor()
    await goTo(page, place(live, 'graph'))
    await page.getByRole('link', { name: 'file CHANGELOG.md' }).waitFor()
    live.observe.fileRead({ path: 'package.json' })
    await live.flushStep()
    await page.getByRole('link', { name: 'file package.json' }).waitFor()

    await goTo(page, place(live, 'commits'))
    await page.getByText('Its commit is created when it ends').waitFor()
    await live.end()
    await page.getByText('This session ended without a commit.').waitFor()
    await live.compact('All is told.')
    await page.getByRole('article', { name: 'Commit 3' }).getByText('All is told.').waitFor()
  })

  it('pages through a long chain and keeps the position of a purged commit', async () => {
    const { tl, open } = inspector()
    const all: Session[] = []
    for (let place = 1; place <= 26; place++) {
      const session = await tl.sessions.create({ userId: 'bob', conversationId: 'c-long', task: `Task ${place}` })
      await session.end()
      await session.compact()
      all.push(session)
    }
    const [first, last] = [all[0], all.at(-1)]
    if (first === undefined || last === undefined) throw new Error('there are 26')
    await tl.sessions.purge(first.id)
    const page = await open(place(last, 'commits'))
    const commit = (position: number) => page.getByRole('article', { name: `Commit ${position}`, exact: true })
    await commit(26).getByText('this session', { exact: true }).first().waitFor()
    expect(await commit(16).count()).toBe(0)
    await page.getByRole('link', { name: 'commit 16', exact: true }).click()
    await commit(16).waitFor()
    await page.getByRole('button', { name: 'Older' }).click()
    await commit(1).getByText('was purged').waitFor()
    await commit(1).getByRole('heading', { name: 'Purged' }).waitFor()
    expect(await page.getByText('Task 1', { exact: true }).count()).toBe(0)
    expect(await commit(26).count()).toBe(0)
    await page.getByRole('button', { name: 'Newer' }).click()
    await commit(26).waitFor()
  })

  it('handles hundreds of steps, long names and control characters', async () => {
    const { tl, open } = inspector()
    const session = await tl.sessions.create({ userId: 'bob', task: 'Much' })
    for (let step = 0; step < 210; step++) {
      session.observe.fileRead({ path: `src/${step}.ts` })
      await session.flushStep()
    }
    session.observe.note('\u202eleft\u0007 '.repeat(2000))
    session.observe.fileWrite({ path: 'w'.repeat(4000) })
    session.observe.command({ command: 'x'.repeat(5000), exitCode: 3, output: 'y'.repeat(16_000) })
    session.observe.relations(
      Array.from({ length: 400 }, (_, index) => ({
        from: `file:src/${index % 40}.ts`,
        label: 'imports',
        to: `item:${'long'.repeat(20)}${index}`,
      })),
    )
    await session.flushStep()
    const page = await open(place(session), { viewport: NARROW })
    await page.getByText('failed, exit 3').waitFor()
    await page.getByRole('button', { name: 'Show 100 of 111 more' }).waitFor()
    await page.getByText('[U+202E]left␇').waitFor()
    expect(await sticksOut(page)).toBe(false)

    await goTo(page, place(session, 'steps'))
    await page.getByRole('button', { name: 'Show 11 more' }).waitFor()
    await page.getByRole('region', { name: 'Work' }).locator('summary').first().click()
    await page.getByRole('button', { name: 'Show 100 of 380 more' }).waitFor()
    expect(await sticksOut(page)).toBe(false)

    await goTo(page, place(session, 'graph'))
    await page.getByText('The diagram shows the 120 nearest relations; the list shows all 500.').waitFor()
    await page.getByRole('group', { name: /^Graph of 121 nodes/ }).waitFor()
    await page.getByText(/Outgoing relations: \d+ or more\. Incoming: \d+ or more/).waitFor()
    expect(await sticksOut(page)).toBe(false)
  })

  it.each([
    ['light', ['overview', 'steps', 'graph', 'graph&as=list', 'commits']],
    ['dark', ['overview', 'graph', 'commits']],
  ] as const)('is accessible in %s colours, and fits a narrow window', async (colorScheme, parts) => {
    const page = await inspector().open(place(sessions.done), { colorScheme, viewport: NARROW })
    const shown = {
      overview: 'Files',
      steps: 'Steps',
      graph: 'Center node',
      'graph&as=list': 'Table of relations',
      commits: 'Commits of the conversation',
    }
    for (const part of parts) {
      await goTo(page, place(sessions.done, part))
      await page.getByRole('region', { name: shown[part], exact: true }).waitFor()
      if (part === 'graph') await page.getByRole('group', { name: /^Graph of/ }).waitFor()
      if (part === 'commits') await page.getByRole('article', { name: 'Commit 1' }).waitFor()
      if (part === 'steps') await page.locator('summary').last().click()
      expect(await axeFindings(page), part).toEqual([])
      expect(await sticksOut(page), part).toBe(false)
    }
  })
})
