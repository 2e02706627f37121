import { useState } from 'preact/hooks'
import { useAddressText } from '../../parts/address-text.ts'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { oneLine } from '../../parts/visible.ts'
import { memoryHref, query, setQuery } from '../../route.ts'
import { LISTED, type User } from './ask.ts'
import { Filters, SearchBox } from './filters.tsx'
import { Memories } from './memories.tsx'
import css from './memory.module.css'
import { Said } from './said.tsx'
import { Split } from './split.tsx'
import { useMemoryPages } from './use-memory-pages.ts'
import { type Users, useUsers } from './use-users.ts'

const PAGES = { limit: LISTED, pages: 1 }
/** Another user has other memories: the one that was chosen goes. */
const CLOSED = { memory: undefined }
/** Users that are offered as buttons. */
const OFFERED = 12

/** The memories of any user whom the caller may see, and everything that was said to them. */
export function MemoryView() {
  const { value: users, problem, again } = useUsers()
  const [round, setRound] = useState(0)
  const user = userIn(query.value, users)
  const isSaid = query.value.get('mode') === 'said'
  const all = useMemoryPages(isSaid ? undefined : user, PAGES, round)
  const hrefOf = (id: string) => memoryHref({ ...Object.fromEntries(query.value), memory: id })
  return (
    <div class={css.view}>
      <div class={css.bar}>
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
      <ProblemNote problem={problem} onRetry={again} />
      {users === undefined && problem === undefined && user === undefined && <Loading />}
      <Split known={all.items} hrefOf={hrefOf} round={round}>
        {users !== undefined && user === undefined && <Whose users={users.users} />}
        {user !== undefined && isSaid && <Said user={user} hrefOf={hrefOf} round={round} />}
        {user !== undefined && !isSaid && <Memories user={user} all={all} hrefOf={hrefOf} round={round} />}
      </Split>
    </div>
  )
}

/** The user of the address; else the token's own, or the only one there is. */
function userIn(values: URLSearchParams, users: Users | undefined): User | undefined {
  const only = users?.users.length === 1 ? users.users[0] : undefined
  const userId = values.get('user') ?? users?.own ?? only
  const tenant = values.get('tenant') ?? (users?.tenants.length === 1 ? users.tenants[0] : undefined)
  return userId === undefined || userId === '' ? undefined : { userId, tenant }
}

function UserBox({ users, user }: { users: Users | undefined; user: User | undefined }) {
  const [text, setText] = useAddressText('user', CLOSED)
  const [tenant, setTenant] = useAddressText('tenant', CLOSED)
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
          {users?.users.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      {users?.seesAllTenants && (
        <label class="field">
          <span>Tenant</span>
          <input
            class="input"
            list="memory-tenants"
            dir="auto"
            autoComplete="off"
            spellcheck={false}
            maxLength={512}
            placeholder={user?.tenant ?? 'local'}
            value={tenant}
            onInput={({ currentTarget }) => setTenant(currentTarget.value)}
          />
          <datalist id="memory-tenants">
            {users.tenants.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
      )}
    </>
  )
}

function Mode({ isSaid }: { isSaid: boolean }) {
  return (
    <fieldset class={css.mode}>
      <legend>Look in</legend>
      <div class={css.modes}>
        <label class={css.check}>
          <input type="radio" name="mode" checked={!isSaid} onChange={() => setQuery({ mode: undefined })} />
          <span>memories</span>
        </label>
        <label class={css.check}>
          <input type="radio" name="mode" checked={isSaid} onChange={() => setQuery({ mode: 'said' })} />
          <span>everything said</span>
        </label>
      </div>
    </fieldset>
  )
}

function Whose({ users }: { users: readonly string[] }) {
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
        {users.slice(0, OFFERED).map((name) => (
          <a key={name} class="button" href={memoryHref({ ...Object.fromEntries(query.value), user: name })} dir="auto">
            {oneLine(name, 40)}
          </a>
        ))}
      </div>
    </Empty>
  )
}
