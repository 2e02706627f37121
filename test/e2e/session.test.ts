import { expect, it } from 'vitest'
import { inspectorFor, NARROW } from './inspector.ts'

const inspector = inspectorFor()

it('a session keeps the query of each view, sets the title, and links back to its list', async () => {
  const { tl, open } = inspector()
  const session = await tl.sessions.create({ userId: 'ada', task: 'Plan the trip', chatmode: 'travel' })
  await session.append(Array.from({ length: 20 }, (_, i) => ({ type: 'user_message', content: `message ${i}` })))
  const page = await open('#/?chatmode=travel', { viewport: NARROW })
  await page.getByRole('link', { name: 'Plan the trip' }).click()
  await page.getByText('live', { exact: true }).waitFor()
  await expect.poll(() => page.title()).toBe('Plan the trip · Timeline · Throughline')

  const tabs = page.getByRole('navigation', { name: 'Views of the session' })
  await page.goto(`${inspector().url}/#/sessions/${session.id}/timeline?event=7`)
  await tabs.getByRole('link', { name: 'Memory' }).click()
  await expect.poll(() => page.title()).toBe('Plan the trip · Memory · Throughline')
  const box = await tabs.getByRole('link', { name: 'Memory' }).boundingBox()
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(NARROW.width)
  await tabs.getByRole('link', { name: 'Timeline' }).click()
  await expect.poll(() => page.url()).toMatch(/timeline\?event=7$/)

  await session.end()
  await page.getByText('complete', { exact: true }).first().waitFor()
  expect(await page.getByText('live', { exact: true }).count()).toBe(0)
  await page.getByRole('link', { name: 'All sessions' }).click()
  await expect.poll(() => page.url()).toMatch(/#\/\?chatmode=travel$/)
})
