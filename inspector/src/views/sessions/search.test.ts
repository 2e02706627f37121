import { describe, expect, it } from 'vitest'
import type { SessionRecord } from '../../api/types.ts'
import { filtersIn, fixedQueryOf, matchesFilters, queryOf } from './filters.ts'
import { idIn, matchesSearch, wordsOf } from './search.ts'

const id = '01a1c0de-0000-7000-8000-00000000abcd'
const record = {
  id,
  tenant: 'local',
  userId: 'zoë',
  conversationId: 'c-1',
  chatmode: 'support',
  activeAgent: 'coach',
  task: 'Reise nach ÉVORA planen',
  status: { state: 'awaiting_user', question: 'Zug oder Bus?', askedAt: '' },
  metadata: { ticket: 'CHK-421' },
} as Partial<SessionRecord> as SessionRecord

const finds = (search: string) => matchesSearch(record, wordsOf(search))

describe('the search', () => {
  it('finds words of the task, names, the open question and metadata', () => {
    for (const search of ['reise', 'zoë', 'coach', 'c-1', 'support', 'bus?', 'chk-421', '0000abcd', 'reise chk']) {
      expect(finds(search), search).toBe(true)
    }
  })

  it('ignores case and accents on both sides', () => {
    expect(finds('evora')).toBe(true)
    expect(finds('ZOE')).toBe(true)
    expect(finds('Rèise')).toBe(true)
  })

  it('requires every word, and matches all without any', () => {
    expect(finds('reise flug')).toBe(false)
    expect(finds('  ')).toBe(true)
  })

  it('recognizes a session id', () => {
    expect(idIn(` ${id.toUpperCase()}\n`)).toBe(id)
    expect(idIn('01a1c0de')).toBeUndefined()
  })
})

describe('the filters', () => {
  it('come from the address and become query parameters of the API', () => {
    const filters = filtersIn(new URLSearchParams('status=running&user=ada&conversation=c-1&q=x&agent='))
    expect(filters).toEqual({ status: 'running', user: 'ada', conversation: 'c-1' })
    expect(queryOf(filters)).toMatchObject({ status: 'running', userId: 'ada', conversationId: 'c-1' })
    expect(fixedQueryOf(filters)).not.toHaveProperty('status')
  })

  it('are checked again where a session may match later', () => {
    expect(matchesFilters(record, {})).toBe(true)
    expect(matchesFilters(record, { status: 'awaiting_user', agent: 'coach' })).toBe(true)
    expect(matchesFilters(record, { status: 'running' })).toBe(false)
    expect(matchesFilters(record, { agent: 'motivator' })).toBe(false)
  })
})
