import type { Database } from 'better-sqlite3'
import type { IndexPartition, UserKey } from '../../ports/recall-index.ts'
import type { BlockPostings } from './recall-postings.ts'
import { prepared } from './statement.ts'

const SELECT_PARTITION = 'select id from recall_shelves where tenant = ? and user_id = ? and shelf = ?'

const INSERT_PARTITION = 'insert into recall_shelves (tenant, user_id, shelf) values (?, ?, ?) returning id'

const UPDATE_PARTITION = `
  update recall_shelves
  set messages = messages + ?, terms = terms + ?, long_messages = long_messages + ?
  where id = ?`

export const SELECT_BLOCKS = `
  select block, messages, length, long_messages as longMessages, terms
  from recall_blocks
  where shelf = ? and session_id = ?`

const INSERT_BLOCK = `
  insert into recall_blocks (shelf, session_id, block, messages, length, long_messages, terms)
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict do update
  set messages = messages + excluded.messages, length = length + excluded.length,
      long_messages = long_messages + excluded.long_messages, terms = terms || excluded.terms`

const INSERT_POSTING = `
  insert into recall_postings (shelf, term, session_id, block, messages, data)
  values (?, ?, ?, ?, ?, ?)
  on conflict do nothing`

/** Two blobs put together are text to SQLite, with the same bytes. */
export const EXTEND_POSTING = `
  update recall_postings
  set messages = messages + ?, data = cast(data || ? as blob)
  where shelf = ? and term = ? and session_id = ? and block = ?`

export const DELETE_POSTING = `
  delete from recall_postings
  where shelf = ? and term = ? and session_id = ? and block = ?
  returning messages`

/** What a change does to the counts of a shelf. */
export class CountChanges {
  messages = 0
  terms = 0
  longMessages = 0
  readonly frequencies = new Map<string, number>()
  readonly speakers = new Map<string, number>()

  addBlock({ messages, length, longMessages }: Omit<BlockPostings, 'block' | 'terms'>, sign: 1 | -1): void {
    this.messages += sign * messages
    this.terms += sign * length
    this.longMessages += sign * longMessages
  }

  addTerm(term: string, messages: number): void {
    this.frequencies.set(term, (this.frequencies.get(term) ?? 0) + messages)
  }

  addSpeaker(speaker: string, messages: number): void {
    this.speakers.set(speaker, (this.speakers.get(speaker) ?? 0) + messages)
  }
}

interface BlockRow {
  block: number
  messages: number
  length: number
  longMessages: number
  terms: string
}

/** The writes to the words on shelves, each inside an open transaction. Counts are gathered, and written by `settle`. */
export function partitionWriter(db: Database) {
  const selectShelf = prepared<[string, string, string], number>(db, SELECT_PARTITION).pluck()
  const insertShelf = prepared<[string, string, string], number>(db, INSERT_PARTITION).pluck()
  const moveShelf = prepared(db, UPDATE_PARTITION)
  const deleteEmptyShelf = prepared(db, 'delete from recall_shelves where id = ? and messages <= 0')
  const selectBlocks = prepared<[number, Buffer], BlockRow>(db, SELECT_BLOCKS)
  const insertBlock = prepared(db, INSERT_BLOCK)
  const deleteBlocks = prepared(db, 'delete from recall_blocks where shelf = ? and session_id = ?')
  const insertPosting = prepared(db, INSERT_POSTING)
  const extendPosting = prepared(db, EXTEND_POSTING)
  const deletePosting = prepared<[number, string, Buffer, number], number>(db, DELETE_POSTING).pluck()
  const moveTerm = counter(db, 'recall_terms', 'term')
  const moveSpeaker = counter(db, 'recall_speakers', 'speaker')
  const deleteAll = ['recall_postings', 'recall_terms', 'recall_speakers', 'recall_blocks', 'recall_messages']
    .map((table) => `delete from ${table} where shelf = ?`)
    .concat('delete from recall_shelves where id = ?')
    .map((sql) => prepared<[number]>(db, sql))

  function find({ tenant, userId, corpus: shelf }: IndexPartition): number | undefined {
    return selectShelf.get(tenant, userId, shelf)
  }

  return {
    find,

    /** The shelf, made if it is new. */
    take({ tenant, userId, corpus: shelf }: IndexPartition): number {
      const found = selectShelf.get(tenant, userId, shelf) ?? insertShelf.get(tenant, userId, shelf)
      if (found === undefined) throw new Error('a shelf was not made')
      return found
    },

    /** Puts words behind those that the session has. */
    put(shelf: number, session: Buffer, blocks: readonly BlockPostings[], tally: CountChanges): void {
      for (const { block, terms, ...sums } of blocks) {
        let fresh = ''
        for (const [term, { messages, data }] of terms) {
          if (insertPosting.run(shelf, term, session, block, messages, data).changes === 1) fresh += `${term} `
          else extendPosting.run(messages, data, shelf, term, session, block)
          tally.addTerm(term, messages)
        }
        insertBlock.run(shelf, session, block, sums.messages, sums.length, sums.longMessages, fresh)
        tally.addBlock(sums, 1)
      }
    },

    /** Removes all words of the session. */
    remove(shelf: number, session: Buffer, tally: CountChanges): void {
      for (const { block, terms, ...sums } of selectBlocks.all(shelf, session)) {
        for (const term of terms.split(' ').slice(0, -1)) {
          tally.addTerm(term, -(deletePosting.get(shelf, term, session, block) ?? 0))
        }
        tally.addBlock(sums, -1)
      }
      deleteBlocks.run(shelf, session)
    },

    /** Writes the counts. A shelf with nothing on it goes. */
    settle(shelf: number, { messages, terms, longMessages, frequencies, speakers }: CountChanges): void {
      for (const [term, moved] of frequencies) moveTerm(shelf, term, moved)
      for (const [speaker, moved] of speakers) moveSpeaker(shelf, speaker, moved)
      moveShelf.run(messages, terms, longMessages, shelf)
      deleteEmptyShelf.run(shelf)
    },

    /** Removes both shelves of a user with everything on them. */
    clear(user: UserKey): void {
      for (const shelf of ['said', 'memory'] as const) {
        const found = find({ ...user, corpus: shelf })
        if (found !== undefined) for (const statement of deleteAll) statement.run(found)
      }
    },
  }
}

export type PartitionWriter = ReturnType<typeof partitionWriter>

/** Moves a count of a shelf up or down; one at 0 goes. */
function counter(db: Database, table: string, name: string) {
  const raise = prepared(
    db,
    `
    insert into ${table} (shelf, ${name}, messages)
    values (?, ?, ?)
    on conflict do update set messages = messages + excluded.messages`,
  )
  const remove = prepared(db, `delete from ${table} where shelf = ? and ${name} = ? and messages <= ?`)
  const lower = prepared(db, `update ${table} set messages = messages - ? where shelf = ? and ${name} = ?`)
  return (shelf: number, key: string, moved: number): void => {
    if (moved > 0) raise.run(shelf, key, moved)
    else if (moved < 0 && remove.run(shelf, key, -moved).changes === 0) lower.run(-moved, shelf, key)
  }
}
