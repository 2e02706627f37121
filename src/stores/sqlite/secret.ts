import type { Database } from 'better-sqlite3'
import { prepared } from './statement.ts'

const SELECT = "select value from settings where name = 'id_secret'"

/** Keeps the secret of an earlier process. */
const INSERT = "insert into settings (name, value) values ('id_secret', ?) on conflict do nothing"

/** The secret of the store. */
export function secretKeeper(db: Database) {
  const select = prepared<[], string>(db, SELECT).pluck()
  const insert = prepared(db, INSERT)

  return {
    read: (): string | undefined => select.get(),

    keep(candidate: string): string {
      insert.run(candidate)
      return select.get() ?? candidate
    },
  }
}
