import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { type QueryText, useQueryText } from '../../parts/use-query-text.ts'
import { oneLine } from '../../parts/visible.ts'
import { memoryHref, query, setQuery } from '../../route.ts'
import { Filters, SearchBox } from './filters.tsx'
import { ListWithDetail } from './list-with-detail.tsx'
import { Memories } from './memories.tsx'
import css from './memory.module.css'
import { LIST_LIMIT, type User } from './memory-api.ts'
import { RecallSearch } from './recall-search.tsx'
import { useMemories } from './use-memories.ts'
import { type Users, useUsers } from './use-users.ts'

const PAGES = { limit: LIST_LIMIT, pages: 1, every: 30_000 }
/** Another user has other memories, so the open one closes. */
const WITHOUT_MEMORY = { memory: undefined }
const MAX_SUGGESTED_USERS = 12

/** The memories of any user visible to the caller, and a search over everything said. */
export function MemoryView() {
  const tenant = query.value.get('tenant') ?? undefined
  const { users, problem, reload } = useUsers(tenant)
  const [round, setRound] = useState(0)
  const user = chooseUser(query.value.get('user') ?? undefined, tenant, users)
  const isRecall = query.value.get('mode') === 'said'
  const all = useMemories(isRecall ? undefined : user, PAGES, round)
  const hrefOf = (id: string) => memoryHref({ ...Object.fromEntries(query.value), memory: id })
  return (
    <div class="stack view">
      <div class="row between">
        <h1>Memory</h1>
        <Button look="small" text="Refresh" onClick={() => setRound(round + 1)} />
      </div>
      <section class={`card ${css.controls}`} aria-label="Search options">
        <UserBox users={users} user={user} />
        <Mode isRecall={isRecall} />
        <SearchBox
          label={isRecall ? 'Search everything' : 'Search'}
          placeholder={isRecall ? 'a question or a few words' : 'words in a memory'}
        />
        {!isRecall && <Filters />}
      </section>
      <ProblemNote problem={problem} onRetry={reload} />
      {users.users === undefined && problem === undefined && user === undefined && <Loading />}
      <ListWithDetail known={all.items} hrefOf={hrefOf} round={round}>
        {users.users !== undefined && user === undefined && (
          <UserPicker users={users.users} tenant={users.seesAllTenants ? (tenant ?? 'local') : undefined} />
        )}
        {user !== undefined && isRecall && <RecallSearch user={user} hrefOf={hrefOf} round={round} />}
        {user !== undefined && !isRecall && <Memories user={user} all={all} hrefOf={hrefOf} round={round} />}
      </ListWithDetail>
    </div>
  )
}

/** The user in the address, else that of the token, else the only one. */
function chooseUser(
  inAddress: string | undefined,
  tenant: string | undefined,
  { own, users }: Users,
): User | undefined {
  const only = users?.length === 1 ? users[0] : undefined
  const userId = inAddress ?? own ?? only
  return userId === undefined || userId === '' ? undefined : { userId, tenant }
}

/** Inputs for user and tenant; a token of one user leaves nothing to choose. */
function UserBox({ users: { own, users, seesAllTenants }, user }: { users: Users; user: User | undefined }) {
  const userText = useQueryText('user', WITHOUT_MEMORY)
  const tenantText = useQueryText('tenant', WITHOUT_MEMORY)
  if (own !== undefined) return null
  return (
    <>
      <NameInput label="User" text={userText} placeholder={user?.userId ?? 'user id'} options={users ?? []} />
      {seesAllTenants && <NameInput label="Tenant" text={tenantText} placeholder="local" />}
    </>
  )
}

interface NameInputProps {
  readonly label: string
  readonly text: QueryText
  readonly placeholder: string
  /** Names to suggest. */
  readonly options?: readonly string[]
}

function NameInput({ label, text: [text, setText], placeholder, options }: NameInputProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class="input"
        list={options && 'memory-users'}
        dir="auto"
        autoComplete="off"
        spellcheck={false}
        maxLength={512}
        placeholder={placeholder}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {options && (
        <datalist id="memory-users">
          {options.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </label>
  )
}

function Mode({ isRecall }: { isRecall: boolean }) {
  return (
    <fieldset>
      <legend>Search in</legend>
      <div class="row">
        <label class="check">
          <input type="radio" name="mode" checked={!isRecall} onChange={() => setQuery({ mode: undefined })} />
          <span>memories</span>
        </label>
        <label class="check">
          <input type="radio" name="mode" checked={isRecall} onChange={() => setQuery({ mode: 'said' })} />
          <span>everything</span>
        </label>
      </div>
    </fieldset>
  )
}

/** Offers recent users; `tenant` is set for callers who see several. */
function UserPicker({ users, tenant }: { users: readonly string[]; tenant: string | undefined }) {
  if (users.length === 0 && tenant !== undefined) {
    return (
      <Empty title={`No sessions in tenant ${oneLine(tenant, 60)}.`}>
        <p>Enter another tenant or a user above.</p>
      </Empty>
    )
  }
  if (users.length === 0) {
    return (
      <Empty title="No sessions yet.">
        <p>Memories belong to users. Enter a user above, or start a session first.</p>
      </Empty>
    )
  }
  return (
    <Empty title="Choose a user">
      <p>Enter a user above, or pick a recent one.</p>
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
