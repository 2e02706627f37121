import { describe, expect, it } from 'vitest'
import { proseOf } from './prose.ts'

const long = (unit: string) => unit.repeat(Math.ceil(8_000_000 / unit.length))

describe('the prose of a message', () => {
  it('is its text outside fenced code', () => {
    expect(proseOf('one ```a``` two ```b', 100)).toEqual({ prose: 'one \n two ', hasCode: true })
    expect(proseOf('plain', 100)).toEqual({ prose: 'plain', hasCode: false })
  })

  it('is both ends of a text beyond the limit', () => {
    expect(proseOf(`start${'x'.repeat(1000)}end!!`, 10).prose).toBe('start\nend!!')
  })

  it('reads both ends of a long message, and takes the end of a message as text', () => {
    expect(proseOf(`start ${long('noise ')} end`, 20).prose).toBe('start nois\nnoise  end')
    expect(proseOf(`start\`\`\`${long('code ')}\`\`\`end`, 100)).toEqual({ prose: 'start\nend', hasCode: true })
    expect(proseOf(`${long('text ')}\`\`\`code\`\`\`end`, 8).prose).toBe('text\n\nend')
  })

  it('splits a bounded part of a message that is nothing but fences', () => {
    expect(proseOf(long('```'), 1e9).prose.length).toBeLessThan(50_000)
  })
})
