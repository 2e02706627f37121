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
  it('finds words of the task, of names, of what is waited for and of metadata', () => {
    for (const search of ['reise', 'zoë', 'coach', 'c-1', 'support', 'bus?', 'chk-421', '0000abcd', 'reise chk']) {
      expect(finds(search), search).toBe(true)
    }
  })

  it('does not mind case and accents, on either side', () => {
    expect(finds('evora')).toBe(true)
    expect(finds('ZOE')).toBe(true)
    expect(finds('Rèise')).toBe(true)
  })

  it('wants every word, and without any finds all', () => {
    expect(finds('reise flug')).toBe(false)
    expect(finds('  ')).toBe(true)
  })

  it('knows the id of a session', () => {
    expect(idIn(` ${id.toUpperCase()}\n`)).toBe(id)
    expect(idIn('01a1c0de')).toBeUndefined()
  })
})

describe('the filters', () => {
  it('come from the address, under the names that the server has for them', () => {
    const filters = filtersIn(new URLSearchParams('status=running&user=ada&conversation=c-1&q=x&agent='))
    expect(filters).toEqual({ status: 'running', user: 'ada', conversation: 'c-1' })
    expect(queryOf(filters)).toMatchObject({ status: 'running', userId: 'ada', conversationId: 'c-1' })
    expect(fixedQueryOf(filters)).not.toHaveProperty('status')
  })

  it('are checked anew where a session may come to fit them', () => {
    expect(matchesFilters(record, {})).toBe(true)
    expect(matchesFilters(record, { status: 'awaiting_user', agent: 'coach' })).toBe(true)
    expect(matchesFilters(record, { status: 'running' })).toBe(false)
    expect(matchesFilters(record, { agent: 'motivator' })).toBe(false)
  })
})
