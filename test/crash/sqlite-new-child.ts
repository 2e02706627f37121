import { uuid7 } from '../../src/ids.ts'
import { sqliteStore } from '../../src/stores/sqlite/index.ts'

// Creates one new file after the other, each a copy of the blank, until it is killed.
const [folder, blank = ''] = process.argv.slice(2)
for (let file = 1; ; file++) {
  const path = `${folder}/${process.pid}-${file}.db`
  const store = await sqliteStore({ path, durability: 'full', migrate: true, newId: uuid7, template: blank })
  if (file === 1) process.stdout.write('begun\n')
  await store.close()
}
