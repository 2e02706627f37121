import { useState } from 'preact/hooks'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { useQueryText } from '../../parts/use-query-text.ts'
import { oneLine } from '../../parts/visible.ts'
import { memoryHref, query, setQuery } from '../../route.ts'
import { Filters, SearchBox } from './filters.tsx'
import { ListWithDetail } from './list-with-detail.tsx'
import { Memories } from './memories.tsx'
import css from './memory.module.css'
import { LIST_LIMIT, type User } from './memory-api.ts'
import { RecallSearch } from './recall-search.tsx'
import { useMemoryPages } from './use-memory-pages.ts'
import { type Users, useUsers } from './use-users.ts'

const PAGES = { limit: LIST_LIMIT, pages: 1, every: 30_000 }
/** Another user has other memories: the one that was chosen goes. */
const WITHOUT_MEMORY = { memory: undefined }
/** Users that are offered as buttons. */
const MAX_SUGGESTED_USERS = 12

/** The memories of any user whom the caller may see, and everything that was said to them. */
export function MemoryView() {
  const tenant = query.value.get('tenant') ?? undefined
  const { users, problem, reload } = useUsers(tenant)
  const [round, setRound] = useState(0)
  const user = chooseUser(query.value.get('user') ?? undefined, tenant, users)
  const isSaid = query.value.get('mode') === 'said'
  const all = useMemoryPages(isSaid ? undefined : user, PAGES, round)
  const hrefOf = (id: string) => memoryHref({ ...Object.fromEntries(query.value), memory: id })
  return (
    <div class="stack view">
      <div class="row between">
        <h1>Memory</h1>
        <button type="button" class="button small" onClick={() => setRound(round + 1)}>
          Look again
        </button>
      </div>
      <section class={`card ${css.controls}`} aria-label="What to look for">
        <UserBox users={users} user={user} />
        <Mode isSaid={isSaid} />
        <SearchBox
          label={isSaid ? 'Where was it said?' : 'Search'}
          placeholder={isSaid ? 'a question, or words that were said' : 'words of a memory'}
        />
        {!isSaid && <Filters />}
      </section>
      <ProblemNote problem={problem} onRetry={reload} />
      {users.users === undefined && problem === undefined && user === undefined && <Loading />}
      <ListWithDetail known={all.items} hrefOf={hrefOf} round={round}>
        {users.users !== undefined && user === undefined && (
          <UserPicker users={users.users} tenant={users.seesAllTenants ? (tenant ?? 'local') : undefined} />
        )}
        {user !== undefined && isSaid && <RecallSearch user={user} hrefOf={hrefOf} round={round} />}
        {user !== undefined && !isSaid && <Memories user={user} all={all} hrefOf={hrefOf} round={round} />}
      </ListWithDetail>
    </div>
  )
}

/** The user of the address; else the token's own, or the only one there is. */
function chooseUser(given: string | undefined, tenant: string | undefined, { own, users }: Users): User | undefined {
  const only = users?.length === 1 ? users[0] : undefined
  const userId = given ?? own ?? only
  return userId === undefined || userId === '' ? undefined : { userId, tenant }
}

/** Whose memories are meant; a token of one user leaves nothing to choose. */
function UserBox({ users: { own, users, seesAllTenants }, user }: { users: Users; user: User | undefined }) {
  const [text, setText] = useQueryText('user', WITHOUT_MEMORY)
  const [tenant, setTenant] = useQueryText('tenant', WITHOUT_MEMORY)
  if (own !== undefined) return null
  return (
    <>
      <label class="field">
        <span>User</span>
        <input
          class="input"
          list="memory-users"
          dir="auto"
          autoComplete="off"
          spellcheck={false}
          maxLength={512}
          placeholder={user?.userId ?? 'whose memories'}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <datalist id="memory-users">
          {users?.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      {seesAllTenants && (
        <label class="field">
          <span>Tenant</span>
          <input
            class="input"
            dir="auto"
            autoComplete="off"
            spellcheck={false}
            maxLength={512}
            placeholder="local"
            value={tenant}
            onInput={({ currentTarget }) => setTenant(currentTarget.value)}
          />
        </label>
      )}
    </>
  )
}

function Mode({ isSaid }: { isSaid: boolean }) {
  return (
    <fieldset>
      <legend>Look in</legend>
      <div class="row">
        <label class="check">
          <input type="radio" name="mode" checked={!isSaid} onChange={() => setQuery({ mode: undefined })} />
          <span>memories</span>
        </label>
        <label class="check">
          <input type="radio" name="mode" checked={isSaid} onChange={() => setQuery({ mode: 'said' })} />
          <span>everything said</span>
        </label>
      </div>
    </fieldset>
  )
}

/** `tenant` is named for who has to choose among them. */
function UserPicker({ users, tenant }: { users: readonly string[]; tenant: string | undefined }) {
  if (users.length === 0 && tenant !== undefined) {
    return (
      <Empty title={`Nobody has a session in tenant ${oneLine(tenant, 60)}.`}>
        <p>Name another tenant above, or a user of this one.</p>
      </Empty>
    )
  }
  if (users.length === 0) {
    return (
      <Empty title="Nobody has a session yet.">
        <p>Memories belong to users. Name one above, or begin a session first.</p>
      </Empty>
    )
  }
  return (
    <Empty title="Whose memories?">
      <p>Name a user above, or take one who had a session of late.</p>
      <div class={css.offers}>
        {users.slice(0, MAX_SUGGESTED_USERS).map((name) => (
          <a key={name} class="button" href={memoryHref({ ...Object.fromEntries(query.value), user: name })} dir="auto">
            {oneLine(name, 40)}
          </a>
        ))}
      </div>
    </Empty>
  )
}
