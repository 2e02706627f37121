import { distinctiveTerms } from '../../domain/memory/similarity.ts'
import { decodePostings } from '../../domain/recall/postings.ts'
import { terms } from '../../domain/recall/text.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { Deps } from '../kernel/deps.ts'

/** Candidates compared with a new memory at most. */
const LOOKALIKES = 100
/** A term in more memories than this is too common to narrow the search. */
const COMMON = 2000

/** Memories to store, by id or by content. */
interface Said {
  readonly id?: string
  readonly content: string
}

/** Ids of memories that may equal one of these: by id, or because they share its rarest terms. */
export async function wanted(deps: Deps, user: UserKey, statements: readonly Said[]): Promise<string[]> {
  const ids = statements.flatMap(({ id }) => id ?? [])
  const said = statements.filter(({ id }) => id === undefined).map(({ content }) => content)
  return [...new Set([...ids, ...(await lookalikes(deps, user, said))])]
}

async function lookalikes({ store }: Deps, user: UserKey, said: readonly string[]): Promise<string[]> {
  const words = [...new Set(said.flatMap(terms))].sort()
  if (words.length === 0) return []
  const partition = { ...user, corpus: 'memories' } as const
  const { frequencies } = await store.index.lookup(partition, words)
  const isTelling = (term: string) => (frequencies.get(term) ?? 0) > 0 && (frequencies.get(term) ?? 0) <= COMMON
  const telling = [...new Set(said.flatMap((content) => distinctiveTerms(content, frequencies)))]
    .filter(isTelling)
    .sort()
  if (telling.length === 0) return []
  const blocks = await store.index.postings(partition, telling, COMMON)
  const lengths = said.map((content) => terms(content).length)
  const near = blocks.filter(({ session, block, data }) => {
    const [{ length } = { length: 0 }] = decodePostings(session, block, data)
    return lengths.some((own) => Math.min(own, length) >= Math.max(own, length) / 2)
  })
  return [...new Set(near.map(({ session }) => session))].slice(-LOOKALIKES * said.length)
}
