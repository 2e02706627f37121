import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/api.ts'
import { axeFindings, inspectorFor, NARROW, sticksOut } from './inspector.ts'

/** A machine with much to do may take longer than the second that is the default. */
const SOON = { timeout: 15_000 }

const inspector = inspectorFor()

/** Nine events; the scratchpad changes with 3, 5, 7 and 9, the envelope with 8. */
async function seed(): Promise<Session> {
  const session = await inspector().tl.sessions.create({
    userId: 'ada',
    task: 'Plan the trip',
    metadata: { app: 'web' },
  })
  await session.append({ type: 'user_message', content: 'Find me a night train to Vienna.' })
  await session.updateState({ current_task: 'find a train', budget: 200, files_in_progress: ['a', 'b', 'c'] })
  await session.append({ type: 'model_message', content: 'There is one at 21:40.', agentId: 'planner' })
  await session.updateState({
    current_task: 'book it',
    files_in_progress: ['a', 'c'],
    budget: null,
    'odd key': { deep: [1] },
  })
  await session.append({ type: 'user_message', content: 'Book it.' })
  await session.incrementState('tries')
  await session.updateEnvelope({ personaId: 'concierge', analysis: { intent: 'travel' } })
  await session.addToState('files_in_progress', 'd')
  return session
}

const timeOf = ({ id }: Session, query = '') => `#/sessions/${id}/time${query}`

describe('the slider through time', () => {
  it('shows scratchpad and envelope at a moment, with their changes', async () => {
    const session = await seed()
    const page = await inspector().open(timeOf(session, '?at=5'))
    const pad = page.getByRole('region', { name: 'Scratchpad', exact: true })
    await pad.getByText('Changed by event #5').waitFor()
    const changes = pad.getByRole('region', { name: 'Changes in the scratchpad' }).getByRole('listitem')
    await expect
      .poll(() => changes.allTextContents(), SOON)
      .toEqual([
        '~changedcurrent_task"find a train" became  → "book it"',
        '−removedbudget200',
        '−removedfiles_in_progress[1]"b"',
        '+added["odd key"]{ "deep": [1] }',
      ])
    expect(await pad.locator('pre').innerText()).toContain('"current_task": "book it"')
    const moment = page.getByRole('region', { name: 'Moment' })
    await moment.getByText('After event #5').waitFor()
    await moment.getByText('running').waitFor()
    expect(await moment.getByRole('link', { name: 'state_changed, event 5' }).getAttribute('href')).toBe(
      `#/sessions/${session.id}/timeline?event=5`,
    )
    const envelope = page.getByRole('region', { name: 'Envelope', exact: true })
    await envelope.getByText('Set when the session started, event #1').waitFor()

    // between two changes it is the same as right after the first of them
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await moment.getByText('After event #6').waitFor()
    await moment.getByText('Book it.').waitFor()
    await pad.getByText('Changed by event #5').waitFor()

    await page.getByRole('button', { name: 'Last', exact: true }).click()
    await envelope.getByText('Changed by event #8').waitFor()
    await envelope.getByText('"concierge"').first().waitFor()
    await pad.getByText('Changed by event #9').waitFor()
    expect(await changes.allTextContents()).toEqual(['+addedfiles_in_progress[2]"d"'])
  })

  it('moves by keyboard, buttons, marks and the history, and updates the address', async () => {
    const session = await seed()
    const page = await inspector().open(timeOf(session))
    const slider = page.getByRole('slider', { name: 'event' })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const at = (sequence: number) => async () => {
      await page.getByRole('heading', { name: `After event #${sequence}`, exact: true }).waitFor()
      expect(await slider.inputValue()).toBe(`${sequence}`)
    }
    await at(9)()
    await page.getByText('following the log').waitFor()
    await slider.press('ArrowLeft')
    await at(8)()
    await expect.poll(() => page.url(), SOON).toContain('at=8')
    await slider.press('Home')
    await at(1)()
    expect(await slider.getAttribute('aria-valuetext')).toBe('event 1 of 9')
    await button('Next change').press('Enter')
    await at(3)()
    await button('Next change').click()
    await at(5)()
    await button('Previous change').click()
    await at(3)()
    await button('Previous').click()
    await at(2)()
    await page.getByRole('button', { name: 'envelope: event 8', exact: true }).click()
    await at(8)()
    await page.getByRole('region', { name: 'Scratchpad history' }).getByRole('button', { name: '#7' }).click()
    await at(7)()
    await page.getByRole('spinbutton', { name: 'Event' }).fill('4')
    await page.getByRole('spinbutton', { name: 'Event' }).press('Enter')
    await at(4)()
    await button('Last').click()
    await at(9)()
    await expect.poll(() => page.url(), SOON).not.toContain('at=')
    expect(await button('Next').getAttribute('aria-disabled')).toBe('true')
  })

  it('compares with a pinned moment in both directions, and links keep both', async () => {
    const session = await seed()
    const page = await inspector().open(timeOf(session, '?at=3'))
    await page.getByRole('heading', { name: 'After event #3' }).waitFor()
    await page.getByRole('button', { name: 'Compare with this moment' }).click()
    await page.getByRole('slider').press('End')
    const pad = page.getByRole('region', { name: 'Scratchpad', exact: true })
    await pad.getByText('Changes from event #3 to event #9').waitFor()
    await pad.getByText('tries').first().waitFor()
    await page.getByRole('region', { name: 'Changes in the envelope' }).getByText('persona_id').waitFor()
    await page.getByRole('region', { name: 'Moment' }).getByText('1 became → 2').waitFor()
    const other = await inspector().open(timeOf(session, '?at=1&with=9'))
    await other.getByText('Changes from event #9 to event #1').first().waitFor()
    await other.getByRole('region', { name: 'Changes in the scratchpad' }).getByText('removed').first().waitFor()
    await other.getByRole('button', { name: 'Stop comparing with #9' }).click()
    await other.getByRole('region', { name: 'Scratchpad', exact: true }).getByText('Not changed yet.').waitFor()
    await other.getByRole('region', { name: 'Envelope' }).getByText('Set when the session started').waitFor()
  })

  it('follows new events at the end, and otherwise stays in place', async () => {
    const session = await seed()
    const { open } = inspector()
    const [end, past] = await Promise.all([open(timeOf(session)), open(timeOf(session, '?at=4'))])
    await end.getByRole('heading', { name: 'After event #9' }).waitFor()
    await past.getByRole('heading', { name: 'After event #4' }).waitFor()
    await Promise.all([end, past].map((page) => page.getByRole('status').getByText('live').waitFor()))
    await session.updateState({ arrived: 'now' })
    await end.getByRole('heading', { name: 'After event #10' }).waitFor()
    await end.getByText('Changed by event #10').waitFor()
    await past.getByText('of 10').waitFor()
    await past.getByRole('button', { name: '#10' }).waitFor()
    expect(await past.getByRole('slider').inputValue()).toBe('4')
    await past.getByRole('heading', { name: 'After event #4' }).waitFor()
  })

  it('requests a moment only when the slider rests, and drops overtaken responses', async () => {
    const session = await seed()
    const page = await inspector().open(timeOf(session))
    await page.getByText('Changed by event #9').waitFor()
    await page.getByText('Changed by event #8').waitFor()
    const asked: string[] = []
    const held: (() => void)[] = []
    await page.route('**/at/*', async (route) => {
      const sequence = route.request().url().split('/').at(-1) ?? ''
      asked.push(sequence)
      if (sequence === '5') await new Promise<void>((resolve) => held.push(resolve))
      await route.continue().catch(() => undefined)
    })
    const slider = page.getByRole('slider')
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    // 7 and 8 are at hand: the last changes were compared with them
    for (const to of ['2', '3', '4', '6', '5']) {
      await slider.fill(to)
      await page.clock.runFor(30)
    }
    expect(asked).toEqual([])
    await page.clock.resume()
    await expect.poll(() => asked, SOON).toEqual(['5'])
    await page.getByText('loading …').waitFor()
    await page.getByRole('heading', { name: 'After event #9' }).waitFor()
    const dropped = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/at/5'))
    await slider.press('ArrowRight')
    await page.getByRole('heading', { name: 'After event #6' }).waitFor()
    for (const release of held) release()
    await dropped
    expect(await page.getByRole('heading', { name: 'After event' }).textContent()).toBe('After event #6')
    // moments that were looked at are kept
    asked.length = 0
    await slider.press('End')
    await page.getByRole('heading', { name: 'After event #9' }).waitFor()
    expect(asked).not.toContain('9')
  })

  it('handles large and hostile scratchpads, long logs and many marks', async () => {
    const session = await seed()
    const big = Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`key ${i}`, `value ${i} ${'x'.repeat(80)}`]))
    await session.updateState({ ...big, '\u202eevil': `<img src=x onerror=alert(1)>\u0007${'w'.repeat(5000)}` })
    await session.updateState({ [`k${'n'.repeat(400)}`]: 'ש'.repeat(400) })
    for (let i = 0; i < 3; i++) {
      await session.append(Array.from({ length: 400 }, (_, n) => ({ type: 'x.note', content: `note ${i} ${n}` })))
    }
    const page = await inspector().open(timeOf(session, '?at=10'), { viewport: NARROW })
    const pad = page.getByRole('region', { name: 'Scratchpad', exact: true })
    await pad.getByText('Showing the first 200 changes.').waitFor()
    expect(await sticksOut(page)).toBe(false)
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await pad.getByText('Changed by event #11').waitFor()
    expect(await sticksOut(page)).toBe(false)
    await page.getByRole('button', { name: 'Last', exact: true }).click()
    await page.getByRole('heading', { name: 'After event #1,211' }).waitFor()
  })

  it('finds changes older than the marked ones', async () => {
    const session = await seed()
    await session.append({ type: 'x.note', content: 'between' })
    for (let i = 0; i < 6; i++) await Promise.all(Array.from({ length: 100 }, () => session.incrementState('tries')))
    const page = await inspector().open(timeOf(session, '?at=10'))
    const at = (sequence: number) => page.getByRole('heading', { name: `After event #${sequence}`, exact: true })
    const pad = page.getByRole('region', { name: 'Scratchpad', exact: true })
    await page.getByText('Only the most recent changes are marked.').waitFor()
    await page.getByRole('heading', { name: 'Scratchpad history the last 500' }).waitFor()
    await page.getByRole('button', { name: 'envelope: event 8', exact: true }).waitFor()
    await pad.getByText('Changed by event #9').waitFor()
    await page.getByRole('region', { name: 'Envelope', exact: true }).getByText('Changed by event #8').waitFor()
    await page.getByRole('button', { name: 'Previous change' }).click()
    await at(9).waitFor()
    await page.getByRole('button', { name: 'Next change' }).click()
    await at(11).waitFor()
    await pad.getByText('Changed by event #11').waitFor()
    await page.getByText('Show 100 of 400 more').waitFor()
  })

  it('is accessible in light and dark, wide and narrow', async () => {
    const session = await seed()
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewport = colorScheme === 'light' ? NARROW : undefined
      const page = await inspector().open(timeOf(session, '?at=8&with=3'), {
        colorScheme,
        ...(viewport && { viewport }),
      })
      await page.getByText('Changes from event #3 to event #8').first().waitFor()
      await page.getByRole('region', { name: 'Changes in the scratchpad' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      expect(await sticksOut(page)).toBe(false)
    }
  })
})
