import type { Database } from 'better-sqlite3'
import type { IndexPartition, UserKey } from '../../ports/recall-index.ts'
import { removeSomeSql } from './pieces.ts'
import type { BlockPostings } from './recall-postings.ts'
import { prepared } from './statement.ts'

const SELECT_PARTITION = 'select id from recall_corpora where tenant = ? and user_id = ? and corpus = ?'

const INSERT_PARTITION = 'insert into recall_corpora (tenant, user_id, corpus) values (?, ?, ?) returning id'

const UPDATE_PARTITION = `
  update recall_corpora
  set messages = messages + ?, terms = terms + ?, long_messages = long_messages + ?
  where id = ?`

/** The first block. */
export const SELECT_BLOCK = `
  select block, messages, length, long_messages as longMessages, terms
  from recall_blocks
  where corpus_id = ? and session_id = ?
  limit 1`

const INSERT_BLOCK = `
  insert into recall_blocks (corpus_id, session_id, block, messages, length, long_messages, terms)
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict do update
  set messages = messages + excluded.messages, length = length + excluded.length,
      long_messages = long_messages + excluded.long_messages, terms = terms || excluded.terms`

const INSERT_POSTING = `
  insert into recall_postings (corpus_id, term, session_id, block, messages, data)
  values (?, ?, ?, ?, ?, ?)
  on conflict do nothing`

/** SQLite concatenates two blobs to text with the same bytes, hence the cast. */
export const EXTEND_POSTING = `
  update recall_postings
  set messages = messages + ?, data = cast(data || ? as blob)
  where corpus_id = ? and term = ? and session_id = ? and block = ?`

export const DELETE_POSTING = `
  delete from recall_postings
  where corpus_id = ? and term = ? and session_id = ? and block = ?
  returning messages`

/** Hides both partitions of a user: no user has an empty name. */
const HIDE_PARTITIONS = `
  update recall_corpora
  set tenant = '', user_id = id
  where tenant = ? and user_id = ?`

const SELECT_HIDDEN = `
  select id
  from recall_corpora
  where tenant = ''
  limit 1`

const OF_PARTITION = 'corpus_id = @partition'

export const REMOVE_HIDDEN = [
  removeSomeSql('recall_postings', 'term, session_id, block', OF_PARTITION),
  removeSomeSql('recall_terms', 'term', OF_PARTITION),
  removeSomeSql('recall_speakers', 'speaker', OF_PARTITION),
  removeSomeSql('recall_blocks', 'session_id, block', OF_PARTITION),
  removeSomeSql('recall_messages', 'session_id, turn', OF_PARTITION),
]

/** Postings removed at a time, which takes about 2 ms. */
const MAX_REMOVED = 200

/** Changes to the counts of a partition. */
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

/**
 * Writes to index partitions, each inside an open transaction. Callers collect counts and write them with
 * `saveCounts`.
 */
export function partitionWriter(db: Database) {
  const selectPartition = prepared<[string, string, string], number>(db, SELECT_PARTITION).pluck()
  const insertPartition = prepared<[string, string, string], number>(db, INSERT_PARTITION).pluck()
  const updatePartition = prepared(db, UPDATE_PARTITION)
  const deleteIfEmpty = prepared(db, 'delete from recall_corpora where id = ? and messages <= 0')
  const selectBlock = prepared<[number, Buffer], BlockRow>(db, SELECT_BLOCK)
  const insertBlock = prepared(db, INSERT_BLOCK)
  const cutTerms = prepared(
    db,
    'update recall_blocks set terms = ? where corpus_id = ? and session_id = ? and block = ?',
  )
  const deleteBlock = prepared(db, 'delete from recall_blocks where corpus_id = ? and session_id = ? and block = ?')
  const insertPosting = prepared(db, INSERT_POSTING)
  const extendPosting = prepared(db, EXTEND_POSTING)
  const deletePosting = prepared<[number, string, Buffer, number], number>(db, DELETE_POSTING).pluck()
  const changeTerm = counter(db, 'recall_terms', 'term')
  const changeSpeaker = counter(db, 'recall_speakers', 'speaker')
  const hidePartitions = prepared(db, HIDE_PARTITIONS)
  const selectHidden = prepared<[], number>(db, SELECT_HIDDEN).pluck()
  const removeHidden = REMOVE_HIDDEN.map((sql) => prepared<[object]>(db, sql))
  const deletePartition = prepared(db, 'delete from recall_corpora where id = ?')

  function find({ tenant, userId, corpus }: IndexPartition): number | undefined {
    return selectPartition.get(tenant, userId, corpus)
  }

  return {
    find,

    /** The partition, created if it is new. */
    findOrCreate({ tenant, userId, corpus }: IndexPartition): number {
      const found = selectPartition.get(tenant, userId, corpus) ?? insertPartition.get(tenant, userId, corpus)
      if (found === undefined) throw new Error('the index partition was not created')
      return found
    },

    /** Appends postings to those of the session. */
    insert(partition: number, session: Buffer, blocks: readonly BlockPostings[], counts: CountChanges): void {
      for (const { block, terms, ...sums } of blocks) {
        let newTerms = ''
        for (const [term, { messages, data }] of terms) {
          if (insertPosting.run(partition, term, session, block, messages, data).changes === 1) newTerms += `${term} `
          else extendPosting.run(messages, data, partition, term, session, block)
          counts.addTerm(term, messages)
        }
        insertBlock.run(partition, session, block, sums.messages, sums.length, sums.longMessages, newTerms)
        counts.addBlock(sums, 1)
      }
    },

    /** Removes some postings of the session. Returns false if there are none. */
    removeSome(partition: number, session: Buffer, counts: CountChanges): boolean {
      const found = selectBlock.get(partition, session)
      if (found === undefined) return false
      const { block, terms, ...sums } = found
      const removed = terms.split(' ', MAX_REMOVED).filter((term) => term !== '')
      for (const term of removed) {
        counts.addTerm(term, -(deletePosting.get(partition, term, session, block) ?? 0))
      }
      const rest = terms.slice(removed.reduce((length, term) => length + term.length + 1, 0))
      if (rest !== '') {
        cutTerms.run(rest, partition, session, block)
      } else {
        deleteBlock.run(partition, session, block)
        counts.addBlock(sums, -1)
      }
      return true
    },

    /** Writes the counts and removes the partition if it is empty. */
    saveCounts(partition: number, { messages, terms, longMessages, frequencies, speakers }: CountChanges): void {
      for (const [term, change] of frequencies) changeTerm(partition, term, change)
      for (const [speaker, change] of speakers) changeSpeaker(partition, speaker, change)
      updatePartition.run(messages, terms, longMessages, partition)
      deleteIfEmpty.run(partition)
    },

    /** Hides both partitions of a user, so that no call finds them any more. */
    hide({ tenant, userId }: UserKey): void {
      hidePartitions.run(tenant, userId)
    },

    /** Removes some content of a hidden partition, of any user: that of a purge which was interrupted, too. */
    removeSomeHidden(): boolean {
      const partition = selectHidden.get()
      if (partition === undefined) return false
      if (!removeHidden.some((statement) => statement.run({ partition }).changes > 0)) deletePartition.run(partition)
      return true
    },
  }
}

export type PartitionWriter = ReturnType<typeof partitionWriter>

/** Changes a count of a partition; a count of 0 is removed. */
function counter(db: Database, table: string, name: string) {
  const raise = prepared(
    db,
    `
    insert into ${table} (corpus_id, ${name}, messages)
    values (?, ?, ?)
    on conflict do update set messages = messages + excluded.messages`,
  )
  const remove = prepared(db, `delete from ${table} where corpus_id = ? and ${name} = ? and messages <= ?`)
  const lower = prepared(db, `update ${table} set messages = messages - ? where corpus_id = ? and ${name} = ?`)
  return (partition: number, key: string, change: number): void => {
    if (change > 0) raise.run(partition, key, change)
    else if (change < 0 && remove.run(partition, key, -change).changes === 0) lower.run(-change, partition, key)
  }
}
