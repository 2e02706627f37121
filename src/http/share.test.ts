import { describe, expect, it } from 'vitest'
import { type Holder, Share } from './share.ts'

const caller = (tenant: string, name = `one of ${tenant}`): Holder => ({ tenant, name })

/** Takes one at a time until there is no room, and returns how many there were. */
function fill(share: Share, by: (n: number) => Holder): number {
  for (let n = 0; ; n++) if (share.take(1, by(n)) !== undefined) return n
}

describe('a share', () => {
  it('is a third of the whole for one busy caller, and half of it for one busy tenant', () => {
    const share = new Share(900)
    expect(fill(share, () => caller('acme'))).toBe(300)
    expect(share.take(1, caller('acme'))).toBe('share')
    const others = fill(share, (n) => caller('acme', `caller ${n}`))
    expect(300 + others).toBe(450)
  })

  it('leaves room for a tenant that holds nothing, while others take all they can', () => {
    const share = new Share(1000)
    for (let tenant = 0; tenant < 5; tenant++) fill(share, (n) => caller(`tenant ${tenant}`, `${tenant}/${n}`))
    expect(fill(share, () => caller('late'))).toBeGreaterThan(5)
  })

  it('leaves room for a caller that holds nothing, however much another of its tenant takes', () => {
    const share = new Share(10)
    fill(share, () => caller('acme', 'busy'))
    expect(share.take(1, caller('acme', 'quiet'))).toBeUndefined()
  })

  it('returns to the caller who held it', () => {
    const share = new Share(10)
    const most = fill(share, () => caller('acme'))
    for (let n = 0; n < most; n++) share.release(1, caller('acme'))
    expect(share.take(10, { name: 'operator' })).toBeUndefined()
    share.release(10, { name: 'operator' })
    expect(fill(share, () => caller('acme'))).toBe(most)
  })

  it('is the whole for callers without a tenant', () => {
    const share = new Share(10)
    expect(fill(share, () => ({ name: 'local' }))).toBe(10)
    expect(share.take(1, { name: 'local' })).toBe('whole')
    expect(share.take(1, caller('acme'))).toBe('whole')
  })

  it('admits one, even if the whole is one', () => {
    const share = new Share(1)
    expect(share.take(1, caller('acme'))).toBeUndefined()
    expect(share.take(1, caller('globex'))).toBe('whole')
  })
})
