import type { Database } from 'better-sqlite3'
import type { AddRequest, NewMessage, UserKey } from '../../ports/recall-index.ts'
import { CountChanges, type PartitionWriter } from './recall-partition.ts'
import type { BlockPostings } from './recall-postings.ts'
import { prepared } from './statement.ts'
import { uuidBytes } from './uuid-bytes.ts'

/** No row: there is no such session. */
const SELECT_OWNER = `
  select s.tenant, s.user_id as userId, s.head, coalesce(m.indexed, 0) as indexed
  from sessions s
  left join session_marks m on m.session_id = s.id
  where s.id = ?`

const MOVE_MARK = `
  insert into session_marks (session_id, indexed, turns, version)
  values (?, ?, ?, ?)
  on conflict do update
  set indexed = excluded.indexed, turns = max(turns, excluded.turns), version = excluded.version`

const RESET_MARK = 'update session_marks set indexed = 0, turns = 0, version = 0 where session_id = ?'

/** Marks of all sessions of a user. */
export const RESET_MARKS = `
  update session_marks
  set indexed = 0, turns = 0, version = 0
  where session_id in (select id from sessions where tenant = ? and user_id = ?)`

const INSERT_MESSAGE = `
  insert into recall_messages
    (corpus_id, session_id, turn, sequence, is_commit, speaker, time, length, asked, specifics, times, counts)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Removes some messages of a session. */
export const REMOVE_MESSAGES = `
  delete from recall_messages
  where corpus_id = @partition and session_id = @session
    and turn in (select turn from recall_messages where corpus_id = @partition and session_id = @session limit 100)
  returning speaker`

/** Writes to the index of messages, each inside an open transaction. */
export function indexWriter(db: Database, partitions: PartitionWriter) {
  const selectOwner = prepared<[string], UserKey & { head: number; indexed: number }>(db, SELECT_OWNER)
  const moveMark = prepared(db, MOVE_MARK)
  const resetMark = prepared(db, RESET_MARK)
  const resetMarks = prepared(db, RESET_MARKS)
  const insertMessage = prepared(db, INSERT_MESSAGE)
  const removeMessages = prepared<[object], string>(db, REMOVE_MESSAGES).pluck()

  function insertFacts(
    partition: number,
    session: Buffer,
    messages: readonly NewMessage[],
    counts: CountChanges,
  ): void {
    for (const { turn, sequence, kind, speaker, time, words } of messages) {
      insertMessage.run(
        partition,
        session,
        turn,
        sequence,
        kind === 'commit' ? 1 : 0,
        speaker,
        time,
        words.length,
        words.asked,
        words.specifics,
        words.times,
        words.counts ? 1 : 0,
      )
      counts.addSpeaker(speaker, 1)
    }
  }

  /** Removes some entries of a session of the user. Returns false if there are none. */
  function removeSome(sessionId: string, { tenant, userId }: UserKey): boolean {
    const session = uuidBytes(sessionId)
    const partition = partitions.find({ tenant, userId, corpus: 'messages' })
    if (session === undefined || partition === undefined) return false
    const counts = new CountChanges()
    const speakers = removeMessages.all({ partition, session })
    for (const speaker of speakers) counts.addSpeaker(speaker, -1)
    const isChanged = speakers.length > 0 || partitions.removeSome(partition, session, counts)
    if (isChanged) partitions.saveCounts(partition, counts)
    return isChanged
  }

  return {
    removeSome,

    drop(sessionId: string): void {
      const owner = selectOwner.get(sessionId)
      if (owner === undefined) return
      resetMark.run(sessionId)
      for (let isChanged = true; isChanged; ) isChanged = removeSome(sessionId, owner)
    },

    /** `blocks` are the postings of the messages. */
    add({ sessionId, from, to, version, messages }: AddRequest, blocks: readonly BlockPostings[]): boolean {
      const owner = selectOwner.get(sessionId)
      if (owner === undefined || owner.indexed !== from || owner.head < to) return false
      const session = uuidBytes(sessionId)
      if (session === undefined) throw new Error(`cannot index session '${sessionId}': its id is not a UUID`)
      moveMark.run(sessionId, to, messages.at(-1)?.turn ?? 0, version)
      if (messages.length === 0) return true
      const partition = partitions.findOrCreate({ tenant: owner.tenant, userId: owner.userId, corpus: 'messages' })
      const counts = new CountChanges()
      insertFacts(partition, session, messages, counts)
      partitions.insert(partition, session, blocks, counts)
      partitions.saveCounts(partition, counts)
      return true
    },

    /** Hides everything indexed of a user, in both partitions; `partitions.removeSomeHidden` removes it. */
    hide(user: UserKey): void {
      partitions.hide(user)
      resetMarks.run(user.tenant, user.userId)
    },
  }
}

export type IndexWriter = ReturnType<typeof indexWriter>
