import { connect, retryWhileBusy } from './connection.ts'
import { migrate } from './migrate.ts'
import { TIME_PLACEHOLDER } from './template.ts'

/** Creates the template of new files from the migrations. */
export async function makeTemplate(path: string): Promise<void> {
  const db = await connect({ path, durability: 'full' }, () => {})
  try {
    await migrate(db)
    db.prepare('update throughline_migrations set applied_at = ?').run(TIME_PLACEHOLDER)
    await retryWhileBusy(() => db.exec('vacuum'))
  } finally {
    db.close()
  }
}
