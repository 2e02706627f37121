-- Memories. Another service may have made the table: then it is extended in place, no value in it changes, and the
-- service works as before.
--
-- Fails a migration whose data statement did not touch the expected number of rows.
create function context.require_rows(p_what text, p_expected bigint, p_touched bigint) returns void
language plpgsql as $$
begin
  if p_touched <> p_expected then
    raise exception using errcode = 'TL002', message = format(
      'the migration stopped: %s: %s of %s rows; migrate as the owner of the table, on one plain Postgres', p_what,
      p_touched, p_expected);
  end if;
end $$;

-- Checks that an existing table can be adopted. SQLSTATE TL002: it cannot; the message says what to do.
do $$
declare
  t record;
  c record;
begin
  if to_regnamespace('memori') is null then
    create schema memori;
  end if;
  select n.nspowner::regrole as owner, pg_has_role(n.nspowner, 'usage') as ours into t
  from pg_namespace n
  where n.nspname = 'memori';
  if not t.ours then
    raise exception using errcode = 'TL002', message = format(
      'the schema memori belongs to the role %s; migrate as that role, or grant %1$s to %s', t.owner, quote_ident(current_user));
  end if;

  select r.oid, r.relkind, r.relowner::regrole as owner, pg_has_role(r.relowner, 'usage') as ours into t
  from pg_class r
  where r.relnamespace = 'memori'::regnamespace and r.relname = 'memories';
  perform set_config('throughline.adopted', (t.oid is not null)::text, true);
  if t.oid is null then
    return;
  end if;
  if t.relkind not in ('r', 'p') then
    raise exception using errcode = 'TL002', message = 'memori.memories exists already and is no table';
  end if;
  if not t.ours then
    raise exception using errcode = 'TL002', message = format(
      'memori.memories exists already and belongs to the role %s; migrate as that role, or grant %1$s to %s', t.owner,
      quote_ident(current_user));
  end if;
  for c in
    select w.name, w.types, format_type(a.atttypid, null) as type
    from (values
      ('user_id', array['text', 'character varying', 'uuid']), ('category', array['text', 'character varying']),
      ('content', array['text', 'character varying']), ('content_tsv', array['tsvector']), ('memory_id', array['uuid']),
      ('tenant', array['text', 'character varying']), ('scope', array['text', 'character varying']),
      ('source_type', array['text', 'character varying']), ('lineage', array['jsonb', 'json']),
      ('confidence', array['numeric', 'real', 'double precision']), ('use_count', array['integer', 'bigint', 'smallint']),
      ('last_used_at', array['timestamp with time zone', 'timestamp without time zone']),
      ('expires_at', array['timestamp with time zone', 'timestamp without time zone']),
      ('created_at', array['timestamp with time zone', 'timestamp without time zone']),
      ('superseded_by', array['uuid']), ('superseded_at', array['timestamp with time zone', 'timestamp without time zone']),
      ('metadata', array['json', 'jsonb']), ('fingerprint', array['text', 'character varying']),
      ('index_version', array['integer']), ('partition', array['smallint'])
    ) as w (name, types)
    join pg_attribute a on a.attrelid = t.oid and a.attname = w.name and not a.attisdropped
  loop
    if c.type <> all (c.types) then
      raise exception using errcode = 'TL002', message = format(
        'memori.memories exists already and its column %s is %s; it must be %s', c.name, c.type,
        array_to_string(c.types, ' or '));
    end if;
  end loop;
end $$;

create table if not exists memori.memories (
  partition smallint not null,
  user_id   text     not null,
  tenant    text     not null default 'local',
  memory_id uuid     not null default gen_random_uuid(),
  category  text     not null,
  content   text     not null,
  primary key (partition, user_id, tenant, memory_id)
) with (fillfactor = 80);

-- Adds what an existing table lacks. Defaults are for writers with plain SQL. lineage: entries as in domain/memory, or
-- plain session ids.
alter table memori.memories
  add column if not exists partition     smallint,
  add column if not exists memory_id     uuid          not null default gen_random_uuid(),
  add column if not exists tenant        text          not null default 'local',
  add column if not exists scope         text,
  add column if not exists source_type   text          default 'bootstrap',
  add column if not exists confidence    numeric(3, 2) default 0.80,
  add column if not exists lineage       jsonb         default '[]',
  add column if not exists last_used_at  timestamptz,
  add column if not exists use_count     integer       default 0,
  add column if not exists expires_at    timestamptz,
  add column if not exists created_at    timestamptz   default now(),
  add column if not exists superseded_by uuid,
  add column if not exists superseded_at timestamptz,
  -- json keeps the order of keys.
  add column if not exists metadata      json,
  -- Equal for memories that say the same.
  add column if not exists fingerprint   text,
  -- Version of its words in the index; null: not indexed.
  add column if not exists index_version integer,
  add column if not exists content_tsv   tsvector      generated always as (to_tsvector('english', content)) stored;

comment on column memori.memories.source_type is 'explicit|implicit|bootstrap|tool_output';
comment on column memori.memories.confidence is 'Belief strength, updated on corroboration/contradiction';

-- Computes the partition for writers with plain SQL, who need no access to our schema.
create function context.set_memory_partition() returns trigger
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  new.partition := context.partition_of(new.tenant, new.user_id::text);
  return new;
end $$;

create table memori.memory_history (
  partition  smallint      not null,
  user_id    text          not null,
  memory_id  uuid          not null,
  version    integer       not null,
  tenant     text          not null,
  at         timestamptz   not null,
  change     text          not null,
  confidence numeric(3, 2) not null,
  source     json,
  note       text,
  by_memory  uuid,
  primary key (partition, user_id, tenant, memory_id, version)
);

-- The sources that lineages name. A key may be longer than an index entry, so it is found by its digest.
create table memori.memory_sources (
  partition smallint not null,
  user_id   text     not null,
  tenant    text     not null,
  digest    uuid     not null,
  memory_id uuid     not null,
  key       text     not null,
  primary key (partition, user_id, tenant, memory_id, digest)
);

-- Starts with the digest: an index that started like the primary key would be used instead of it while the table has no
-- statistics.
create index memory_sources_key on memori.memory_sources (digest, partition, user_id, tenant, memory_id);

-- The last change of a user's memories, by which a change sees that another one came in between, and the lock of a
-- change that met such a conflict.
create table memori.memory_versions (
  partition    smallint not null,
  user_id      text     not null,
  tenant       text     not null,
  version      uuid     not null,
  lock_token   uuid,
  locked_until timestamptz,
  primary key (partition, user_id, tenant)
) with (fillfactor = 50);

-- Idempotency keys of changes to memories, with the stored response. A key may be longer than an index entry, so it is
-- found by its digest.
create table memori.memory_keys (
  partition   smallint    not null,
  user_id     text        not null,
  tenant      text        not null,
  digest      uuid        not null,
  key         text        not null,
  fingerprint text        not null,
  -- Ids, outcomes and counts as JSON, never the text of a memory: the row stays when the memory is forgotten.
  response    text        not null,
  at          timestamptz not null,
  primary key (partition, user_id, tenant, digest)
);

-- For callers who do not know the user.
create index memory_keys_fingerprint on memori.memory_keys using hash (fingerprint);
-- For deleting the oldest keys.
create index memory_keys_at on memori.memory_keys (at);

-- What only an adopted table needs.
do $$
declare
  statement text;
begin
  if not current_setting('throughline.adopted')::boolean then
    return;
  end if;
  -- The table has a primary key of its own.
  create unique index memories_user_memory on memori.memories (partition, user_id, tenant, memory_id);
  -- The service set these columns itself; our inserts do not name them.
  for statement in
    select format('alter table memori.memories alter column %I set default gen_random_uuid()%s', a.attname,
      case when a.atttypid <> 'uuid'::regtype then '::text' else '' end)
    from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
    where i.indrelid = 'memori.memories'::regclass and i.indisprimary and a.attname not in ('user_id', 'tenant', 'category')
      and not a.atthasdef and a.attidentity = '' and a.atttypid in ('uuid'::regtype, 'text'::regtype, 'varchar'::regtype)
  loop
    execute statement;
  end loop;
  if exists (
    select 1 from pg_attribute a
    where a.attrelid = 'memori.memories'::regclass and a.attname = 'content_tsv' and a.attgenerated = '' and not a.atthasdef
  ) and not exists (
    -- 4: fires on insert.
    select 1 from pg_trigger g
    where g.tgrelid = 'memori.memories'::regclass and not g.tgisinternal and g.tgtype & 4 = 4
  ) then
    create trigger throughline_tsv before insert on memori.memories
    for each row when (new.content_tsv is null)
    execute function tsvector_update_trigger(content_tsv, 'pg_catalog.english', content);
  end if;
end $$;

create trigger throughline_partition before insert or update of tenant, user_id on memori.memories
for each row execute function context.set_memory_partition();

-- Fills in missing values of existing columns, with triggers disabled so that none takes it for a change, and reads the
-- sources from existing lineages. Each statement must touch as many rows as there are: a distributed table would update
-- none, without an error.
do $$
declare
  triggers text[];
  name text;
  v_expected bigint;
  v_touched bigint;
begin
  alter table memori.memories alter column source_type set default 'bootstrap';
  select count(*) into v_expected from memori.memories where source_type is null or partition is null;
  if v_expected > 0 then
    triggers := array(
      select g.tgname from pg_trigger g
      where g.tgrelid = 'memori.memories'::regclass and not g.tgisinternal and g.tgenabled = 'O'
    );
    foreach name in array triggers loop
      execute format('alter table memori.memories disable trigger %I', name);
    end loop;
    update memori.memories
    set source_type = coalesce(source_type, 'bootstrap'), partition = context.partition_of(tenant, user_id::text)
    where source_type is null or partition is null;
    get diagnostics v_touched = row_count;
    perform context.require_rows('memories completed', v_expected, v_touched);
    foreach name in array triggers loop
      execute format('alter table memori.memories enable trigger %I', name);
    end loop;
  end if;
  alter table memori.memories alter column partition set not null;

  with sources as (
    select m.user_id::text as user_id, m.tenant, m.memory_id, l.id
    from memori.memories m
    cross join lateral (
      select x ->> 'sessionId' as id
      from jsonb_array_elements(case jsonb_typeof(m.lineage::jsonb) when 'array' then m.lineage::jsonb else '[]' end) as x
      where jsonb_typeof(x) = 'object'
      union
      select x #>> '{}'
      from jsonb_array_elements(case jsonb_typeof(m.lineage::jsonb) when 'array' then m.lineage::jsonb else '[]' end) as x
      where jsonb_typeof(x) = 'string'
    ) l
    where l.id is not null
  ), inserted as (
    insert into memori.memory_sources (partition, user_id, tenant, digest, memory_id, key)
    select context.partition_of(s.tenant, s.user_id), s.user_id, s.tenant, md5('session:' || s.id)::uuid, s.memory_id,
      'session:' || s.id
    from sources s
    returning 1
  )
  select (select count(*) from sources), (select count(*) from inserted) into v_expected, v_touched;
  perform context.require_rows('sources read', v_expected, v_touched);

  if not exists (
    select 1
    from pg_index i
    join pg_class r on r.oid = i.indexrelid
    join pg_am m on m.oid = r.relam and m.amname = 'gin'
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where i.indrelid = 'memori.memories'::regclass and a.attname = 'content_tsv'
  ) then
    create index memories_content on memori.memories using gin (content_tsv);
  end if;
end $$;

-- Hash, because with a btree the planner reads the memories of all users in order to page through those of one.
create index if not exists memories_memory on memori.memories using hash (memory_id);
create index if not exists idx_memories_namespace_category on memori.memories (user_id, category);
create index if not exists memories_expiring on memori.memories (expires_at, memory_id) where expires_at is not null;
create index if not exists memories_unindexed on memori.memories (user_id, index_version) where superseded_by is null;
create index if not exists memories_fingerprint on memori.memories (user_id, fingerprint) where fingerprint is not null;
-- For sums over a tenant. The casts are for adopted tables.
create index if not exists memories_owner on memori.memories ((tenant::text), (user_id::text), memory_id);

-- Memories as in the port, after the columns by which they are found. All functions are in the schema context, because
-- others may create functions in memori. The casts are for adopted tables.
create view context.memory_rows with (security_invoker = true) as
  select m.partition, m.user_id as stored_user, m.expires_at as stored_expiry, m.fingerprint, m.index_version,
    m.memory_id as id, m.tenant::text as tenant, m.user_id::text as user_id, m.category::text as category,
    m.content::text as content, m.scope::text as scope, m.source_type::text as source_type,
    m.confidence::double precision as confidence, m.lineage::json as lineage, m.use_count::integer as use_count,
    m.created_at::timestamptz as created_at, m.last_used_at::timestamptz as last_used_at,
    m.expires_at::timestamptz as expires_at, m.superseded_by, m.superseded_at::timestamptz as superseded_at,
    m.metadata::json as metadata
  from memori.memories m;

-- Whether a change of the user's memories may be written: its sessions are the user's, and with p_session that one is
-- extracted up to p_from and its log reaches p_to.
create function context.may_change_memories(
  p_partition smallint, p_tenant text, p_user text, p_sessions uuid[], p_session uuid, p_from integer, p_to integer
)
returns boolean
language plpgsql set enable_seqscan = off as $$
begin
  return (
    p_session is null or exists (
      select 1
      from sessions s
      left join session_marks k on k.partition = s.partition and k.session_id = s.id
      where s.partition = p_partition and s.id = p_session and s.tenant = p_tenant and s.user_id = p_user
        and coalesce(k.extracted, 0) = p_from and s.head >= p_to
    )
  ) and not exists (
    select 1
    from unnest(p_sessions) as w (id)
    where not exists (
      select 1
      from sessions s
      where s.partition = p_partition and s.id = w.id and s.tenant = p_tenant and s.user_id = p_user
    )
  );
end $$;

-- Reads what a change decides on. The first row has the state and no memory, the others the memories it names:
--   loaded: version is that of the last change, which write_memory_change compares;
--   known: the key is stored, with fingerprint and response;
--   stale: see may_change_memories;
--   locked: another token has the lock.
-- With p_token it locks the user's memories for two seconds by the clock of the database: no other change gets in
-- between.
--
-- This function and those below find many rows one by one by their full key: while the table has no statistics, as
-- during an import, the planner assumes few memories per user and would read all of them each time. OFFSET 0 keeps the
-- lookups.
create function context.load_memory_change(
  p_partition smallint, p_tenant text, p_user text, p_token uuid, p_key text, p_sessions uuid[], p_session uuid,
  p_from integer, p_to integer, p_ids uuid[], p_fingerprints text[], p_sources text[]
)
returns table (state text, version uuid, key_fingerprint text, response text, memory context.memory_rows)
language plpgsql security definer set search_path = context, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_user memori.memories.user_id%type := p_user;
  v_until timestamptz;
  v_digests uuid[] := array(select md5(w.key)::uuid from unnest(p_sources) as w (key));
begin
  perform set_tenant(p_tenant);
  state := 'loaded';
  if p_token is not null then
    v_until := clock_timestamp() + interval '2 seconds';
    insert into memori.memory_versions as x (partition, user_id, tenant, version, lock_token, locked_until)
    values (p_partition, p_user, p_tenant, gen_random_uuid(), p_token, v_until)
    on conflict (partition, user_id, tenant) do update
    set lock_token = excluded.lock_token, locked_until = excluded.locked_until
    where x.lock_token is null or x.lock_token = excluded.lock_token
      or x.locked_until < excluded.locked_until - interval '2 seconds';
    if not found then
      state := 'locked';
      return next;
      return;
    end if;
  end if;
  -- Before the memories: a change in between is then seen by its version.
  select x.version into version
  from memori.memory_versions x
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant;
  if p_key is not null then
    select x.fingerprint, x.response into key_fingerprint, response
    from memori.memory_keys x
    where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.digest = md5(p_key)::uuid
      and x.key = p_key;
    if found then
      state := 'known';
      return next;
      return;
    end if;
  end if;
  if not may_change_memories(p_partition, p_tenant, p_user, p_sessions, p_session, p_from, p_to) then
    state := 'stale';
    return next;
    return;
  end if;
  return next;
  return query
    with wanted as (
      select w.id from unnest(p_ids) as w (id)
      union
      select l.id
      from unnest(p_fingerprints) as w (fingerprint)
      cross join lateral (
        select m.id, m.partition, m.tenant, m.superseded_by
        from memory_rows m
        where m.stored_user = v_user and m.fingerprint = w.fingerprint
        offset 0
      ) l
      where l.partition = p_partition and l.tenant = p_tenant and l.superseded_by is null
      union
      select x.memory_id
      from memori.memory_sources x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.digest = any (v_digests)
        and x.key = any (p_sources)
      order by 1
    )
    select null::text, null::uuid, null::text, null::text, l.memory
    from wanted w
    cross join lateral (
      select m as memory
      from memory_rows m
      where m.partition = p_partition and m.stored_user = v_user and m.tenant = p_tenant and m.id = w.id
      offset 0
    ) l;
end $$;

-- Gives the lock of load_memory_change back without a change.
create function context.unlock_memories(p_partition smallint, p_tenant text, p_user text, p_token uuid) returns void
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform set_tenant(p_tenant);
  update memori.memory_versions x
  set lock_token = null, locked_until = null
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.lock_token = p_token;
end $$;

-- Writes a change that was decided on p_version: memories, history, words, the mark of p_session, the key, and the
-- purge of p_purge. Outcomes: written; conflict, if another change came in between or has the lock; stale, see
-- may_change_memories, or if a session to purge has a child that is not in p_purge. Only written changes anything.
-- events and keys: how much was purged.
--
-- p_puts: memories as in the port, with their fingerprint (null keeps the stored one) and the use count they were
-- loaded with, because uses are counted meanwhile; reworded marks those with new words, of indexVersion. p_unindexed:
-- memories whose words are removed. p_history: in order. s_*: the keys of lineages. w_*: words as in add_words, with
-- one b_* entry per memory.
create function context.write_memory_change(
  p_partition smallint, p_tenant text, p_user text, p_version uuid, p_token uuid, p_at timestamptz,
  p_key text, p_fingerprint text, p_response text, p_sessions uuid[], p_session uuid, p_from integer, p_to integer,
  p_purge uuid[], p_puts json, p_removals uuid[], p_unindexed uuid[], p_history json, s_memory uuid[], s_key text[],
  w_memory uuid[], w_term text[], w_data bytea[], b_memory uuid[], b_words integer[], b_long integer[],
  out outcome text, out events integer, out keys integer
)
language plpgsql security definer set search_path = context, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_user memori.memories.user_id%type := p_user;
  v_id uuid;
  v_last record;
  n integer := cardinality(b_memory);
begin
  perform lock_user(p_tenant, p_user);
  perform set_tenant(p_tenant);
  select x.version, x.lock_token, x.locked_until into v_last
  from memori.memory_versions x
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant
  for update;
  if v_last.version is distinct from p_version
    or (v_last.lock_token is distinct from p_token and v_last.locked_until > clock_timestamp())
  then
    outcome := 'conflict';
    return;
  end if;
  if not may_change_memories(p_partition, p_tenant, p_user, p_sessions, p_session, p_from, p_to) then
    outcome := 'stale';
    return;
  end if;
  if cardinality(p_purge) > 0 then
    -- Waits for children that are being started; no other can start afterwards.
    perform 1 from sessions x where x.partition = p_partition and x.id = any (p_purge) order by x.id for update;
    if exists (
      select 1
      from sessions x
      where x.partition = p_partition and x.parent_id = any (p_purge) and x.tenant = p_tenant and x.user_id = p_user
        and not (x.id = any (p_purge))
    ) then
      outcome := 'stale';
      return;
    end if;
  end if;
  outcome := 'written';
  insert into memori.memory_versions (partition, user_id, tenant, version)
  values (p_partition, p_user, p_tenant, gen_random_uuid())
  on conflict (partition, user_id, tenant) do update
  set version = excluded.version, lock_token = null, locked_until = null;
  if p_response is not null then
    insert into memori.memory_keys (partition, user_id, tenant, digest, key, fingerprint, response, at)
    values (p_partition, p_user, p_tenant, md5(p_key)::uuid, p_key, p_fingerprint, p_response, p_at);
  end if;

  perform remove_words(p_partition, p_tenant, p_user, 'memories', p_unindexed);
  foreach v_id in array p_removals loop
    delete from memori.memories m
    where m.partition = p_partition and m.user_id = v_user and m.tenant = p_tenant and m.memory_id = v_id;
    if found then
      delete from memori.memory_history x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.memory_id = v_id;
      delete from memori.memory_sources x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.memory_id = v_id;
    end if;
  end loop;

  for v_id in select (p ->> 'id')::uuid from json_array_elements(p_puts) p loop
    delete from memori.memory_sources x
    where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.memory_id = v_id;
    -- Locked, so that its count does not rise before it is written.
    perform 1
    from memori.memories m
    where m.partition = p_partition and m.user_id = v_user and m.tenant = p_tenant and m.memory_id = v_id
    for update;
  end loop;
  insert into memori.memory_sources (partition, user_id, tenant, digest, memory_id, key)
  select p_partition, p_user, p_tenant, md5(s.key)::uuid, s.memory, s.key from unnest(s_memory, s_key) as s (memory, key);
  insert into memori.memories as m (
    partition, user_id, memory_id, tenant, category, content, scope, source_type, confidence, lineage, use_count,
    created_at, last_used_at, expires_at, superseded_by, superseded_at, metadata, fingerprint, index_version
  )
  select p_partition, v_user, p.id, p_tenant, p.category, p.content, p.scope, p."sourceType", p.confidence, p.lineage,
    p."useCount" + coalesce(o.use_count - p."loadedUseCount", 0), p."createdAt",
    case when o.use_count > p."loadedUseCount" then o.last_used_at else p."lastUsedAt" end,
    p."expiresAt", p."supersededBy", p."supersededAt", p.metadata, p.fingerprint,
    case when p.reworded then p."indexVersion" else o.index_version end
  from json_to_recordset(p_puts) as p (
    id uuid, category text, content text, scope text, "sourceType" text, confidence numeric, lineage json,
    "useCount" integer, "loadedUseCount" integer, "createdAt" timestamptz, "lastUsedAt" timestamptz,
    "expiresAt" timestamptz, "supersededBy" uuid, "supersededAt" timestamptz, metadata json, fingerprint text,
    reworded boolean, "indexVersion" integer
  )
  left join lateral (
    select x.use_count, x.last_used_at, x.index_version
    from memori.memories x
    where x.partition = p_partition and x.user_id = v_user and x.tenant = p_tenant and x.memory_id = p.id
    offset 0
  ) o on true
  on conflict (partition, user_id, tenant, memory_id) do update
  set category = excluded.category, content = excluded.content, scope = excluded.scope,
      source_type = excluded.source_type, confidence = excluded.confidence, lineage = excluded.lineage,
      use_count = excluded.use_count, created_at = excluded.created_at, last_used_at = excluded.last_used_at,
      expires_at = excluded.expires_at, superseded_by = excluded.superseded_by, superseded_at = excluded.superseded_at,
      metadata = excluded.metadata, fingerprint = coalesce(excluded.fingerprint, m.fingerprint),
      index_version = excluded.index_version;

  insert into memori.memory_history
    (partition, user_id, memory_id, version, tenant, at, change, confidence, source, note, by_memory)
  select p_partition, p_user, h.id,
    coalesce((
      select max(x.version)
      from memori.memory_history x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.memory_id = h.id
    ), 0) + row_number() over (partition by h.id order by h.n),
    p_tenant, h.at, h.change, h.confidence, h.source, h.note, h.by
  from json_to_recordset(p_history) as h (
    id uuid, n integer, at timestamptz, change text, confidence numeric, source json, note text, by uuid
  );

  if n > 0 then
    perform add_words(p_partition, p_tenant, p_user, 'memories',
      w_memory, array_fill(0, array[cardinality(w_term)]), w_term, array_fill(1, array[cardinality(w_term)]), w_data,
      b_memory, array_fill(0, array[n]), array_fill(1, array[n]), array_fill(1, array[n]), b_words, b_long);
  end if;
  if p_session is not null then
    insert into session_marks (partition, session_id, tenant, extracted)
    values (p_partition, p_session, p_tenant, p_to)
    on conflict (partition, session_id) do update set extracted = excluded.extracted;
  end if;
  events := 0;
  keys := 0;
  foreach v_id in array coalesce(p_purge, '{}') loop
    select write_memory_change.events + r.events, write_memory_change.keys + r.keys into events, keys
    from purge_session(p_partition, v_id, p_tenant, p_user, p_at) r;
  end loop;
end $$;

-- Characters of the long columns of a memory. Lists end with the memory that takes them to p_size of these.
create function context.memory_size(m context.memory_rows) returns integer
language sql immutable as $$
  select coalesce(length(m.content), 0) + coalesce(length(m.metadata::text), 0) + coalesce(length(m.lineage::text), 0)
$$;

-- The memories with these ids, in their order: of one user, in the user's partition, or of all users.
create function context.get_memories(
  p_partition smallint, p_tenant text, p_user text, p_ids uuid[], p_size integer
)
returns setof context.memory_rows
language plpgsql security definer set search_path = context, pg_temp set enable_seqscan = off set jit = off as $$
declare
  r memory_rows;
  size bigint := 0;
  v_id uuid;
begin
  perform set_tenant(p_tenant);
  -- one by one, to read no more of them than fit
  foreach v_id in array p_ids loop
    for r in select m.* from memory_rows m where m.id = v_id and can_access(m.tenant, m.user_id, p_tenant, p_user) loop
      return next r;
      size := size + memory_size(r);
    end loop;
    exit when size >= p_size;
  end loop;
end $$;

create function context.list_memories(
  p_partition smallint, p_tenant text, p_user text, p_after uuid, p_limit integer, p_size integer
)
returns setof context.memory_rows
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
declare
  r memory_rows;
  size bigint := 0;
  v_user memori.memories.user_id%type := p_user;
begin
  perform set_tenant(p_tenant);
  for r in
    select m.*
    from memory_rows m
    where m.partition = p_partition and m.stored_user = v_user and m.tenant = p_tenant
      and m.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
    order by m.id
    limit p_limit
  loop
    return next r;
    size := size + memory_size(r);
    exit when size >= p_size;
  end loop;
end $$;

-- The changes of a memory after a version, up to the one that takes their notes to p_size characters.
create function context.read_memory_history(
  p_partition smallint, p_tenant text, p_user text, p_memory uuid, p_after integer, p_limit integer, p_size integer
)
returns table (
  version integer, at timestamptz, change text, confidence double precision, source json, note text, by_memory uuid
)
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  size bigint := 0;
begin
  perform set_tenant(p_tenant);
  for version, at, change, confidence, source, note, by_memory in
    select h.version, h.at, h.change, h.confidence::double precision, h.source, h.note, h.by_memory
    from memori.memories m
    join memori.memory_history h on h.partition = m.partition and h.user_id = m.user_id::text and h.tenant = m.tenant
      and h.memory_id = m.memory_id
    where m.memory_id = p_memory and can_access(m.tenant, m.user_id::text, p_tenant, p_user) and h.version > p_after
    order by h.version
    limit p_limit
  loop
    return next;
    size := size + coalesce(length(note), 0);
    exit when size >= p_size;
  end loop;
end $$;

create function context.memories_by_source(
  p_partition smallint, p_tenant text, p_user text, p_key text, p_after uuid, p_limit integer, p_size integer
)
returns setof context.memory_rows
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
declare
  r memory_rows;
  size bigint := 0;
  v_user memori.memories.user_id%type := p_user;
begin
  perform set_tenant(p_tenant);
  for r in
    select (l.m).*
    from (
      select x.memory_id
      from memori.memory_sources x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.digest = md5(p_key)::uuid
        and x.key = p_key and x.memory_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
      order by x.memory_id
      limit p_limit
    ) s
    cross join lateral (
      select m
      from memory_rows m
      where m.partition = p_partition and m.stored_user = v_user and m.tenant = p_tenant and m.id = s.memory_id
      offset 0
    ) l
    order by s.memory_id
  loop
    return next r;
    size := size + memory_size(r);
    exit when size >= p_size;
  end loop;
end $$;

create function context.count_memory_uses(
  p_partition smallint, p_tenant text, p_user text, p_ids uuid[], p_at timestamptz
)
returns void
language plpgsql security definer set search_path = context, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_user memori.memories.user_id%type := p_user;
  v_id uuid;
begin
  perform set_tenant(p_tenant);
  -- Always in the same order, so that two callers cannot deadlock.
  for v_id in select distinct w.id from unnest(p_ids) as w (id) order by 1 loop
    update memori.memories m
    set use_count = coalesce(m.use_count, 0) + 1, last_used_at = p_at
    where m.partition = p_partition and m.user_id = v_user and m.tenant = p_tenant and m.memory_id = v_id;
  end loop;
end $$;

create function context.expired_memories(
  p_partition smallint, p_tenant text, p_user text, p_at timestamptz, p_limit integer, p_size integer
)
returns setof context.memory_rows
language plpgsql security definer set search_path = context, pg_temp set enable_seqscan = off set jit = off as $$
declare
  r memory_rows;
  size bigint := 0;
begin
  perform set_tenant(p_tenant);
  for r in
    select m.*
    from memory_rows m
    where m.stored_expiry <= p_at and can_access(m.tenant, m.user_id, p_tenant, p_user)
    order by m.stored_expiry, m.id
    limit p_limit
  loop
    return next r;
    size := size + memory_size(r);
    exit when size >= p_size;
  end loop;
end $$;

-- Returns current memories that have no words, or words of a version before p_version; each is a range of the index.
create function context.unindexed_memories(
  p_partition smallint, p_tenant text, p_user text, p_version integer, p_limit integer, p_size integer
)
returns setof context.memory_rows
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  r memory_rows;
  size bigint := 0;
  v_user memori.memories.user_id%type := p_user;
begin
  perform set_tenant(p_tenant);
  for r in
    select (u.m).*
    from (
      select m from memory_rows m
      where m.partition = p_partition and m.tenant = p_tenant and m.stored_user = v_user and m.superseded_by is null
        and m.index_version is null
      union all
      select m from memory_rows m
      where m.partition = p_partition and m.tenant = p_tenant and m.stored_user = v_user and m.superseded_by is null
        and m.index_version < p_version
    ) u
    limit p_limit
  loop
    return next r;
    size := size + memory_size(r);
    exit when size >= p_size;
  end loop;
end $$;

-- Deletes the next p_limit rows of everything of a user except sessions, which must then be indexed again. Deleting all
-- rows of a large user at once would exceed the statement timeout. Returns the numbers of memories and keys, and
-- whether more may be left. The first call renames the corpora of the index: nothing finds them any more, and a
-- repeated purge removes the rest.
create function context.purge_memories(p_partition smallint, p_tenant text, p_user text, p_limit integer)
returns table (memories integer, keys integer, has_more boolean)
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
declare
  v_user memori.memories.user_id%type := p_user;
  v_left integer := p_limit;
  v_count integer;
  v_corpora integer[];
  v_table text;
begin
  perform lock_user(p_tenant, p_user);
  perform set_tenant(p_tenant);
  update recall_corpora x
  set corpus = 'purged:' || x.corpus_id
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.corpus not like 'purged:%';
  if found then
    update session_marks x
    set indexed = 0, turns = 0
    from sessions s
    where s.partition = p_partition and s.tenant = p_tenant and s.user_id = p_user and x.partition = p_partition
      and x.session_id = s.id;
  end if;

  foreach v_table in array array['memory_history', 'memory_sources', 'memory_keys', 'memory_versions'] loop
    execute format(
        'delete from memori.%1$I where ctid = any (array(
          select x.ctid from memori.%1$I x where x.partition = $1 and x.user_id = $2 and x.tenant = $3 limit $4
        ))', v_table)
      using p_partition, p_user, p_tenant, v_left;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    if v_table = 'memory_keys' then
      keys := v_count;
    end if;
  end loop;
  delete from memori.memories
  where ctid = any (array(
    select m.ctid
    from memori.memories m
    where m.partition = p_partition and m.user_id = v_user and m.tenant = p_tenant
    limit v_left
  ));
  get diagnostics memories = row_count;
  v_left := v_left - memories;

  select coalesce(array_agg(x.corpus_id), '{}') into v_corpora
  from recall_corpora x
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.corpus like 'purged:%';
  foreach v_table in array array[
    'recall_terms', 'recall_speakers', 'recall_postings', 'recall_blocks', 'recall_messages', 'recall_corpora'
  ] loop
    execute format(
        'delete from context.%1$I where ctid = any (array(
          select x.ctid from context.%1$I x where x.partition = $1 and x.corpus_id = any ($2) limit $3
        ))', v_table)
      using p_partition, v_corpora, v_left;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
  end loop;
  has_more := v_left = 0;
  return next;
end $$;

-- Returns the response stored for a key, by the given user or by any user, if the fingerprint matches.
create function context.find_memory_key(
  p_partition smallint, p_tenant text, p_user text, p_key text, p_fingerprint text
)
returns table (response text)
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
begin
  perform set_tenant(p_tenant);
  if p_user is not null then
    return query
      select x.response
      from memori.memory_keys x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.digest = md5(p_key)::uuid
        and x.key = p_key and x.fingerprint = p_fingerprint;
  else
    return query
      select x.response
      from memori.memory_keys x
      where x.fingerprint = p_fingerprint and x.digest = md5(p_key)::uuid and x.key = p_key
        and can_access(x.tenant, x.user_id, p_tenant, p_user)
      limit 1;
  end if;
end $$;

-- Deletes the oldest p_limit keys stored before p_before and returns their number. A key stored again meanwhile stays.
create function context.delete_memory_keys(
  p_partition smallint, p_tenant text, p_user text, p_before timestamptz, p_limit integer
)
returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_keys integer;
begin
  perform set_tenant(p_tenant);
  with chosen as (
    select x.partition, x.user_id, x.tenant, x.digest
    from memori.memory_keys x
    where x.at < p_before and can_access(x.tenant, x.user_id, p_tenant, p_user)
    order by x.at
    limit p_limit
  )
  delete from memori.memory_keys x using chosen c
  where x.partition = c.partition and x.user_id = c.user_id and x.tenant = c.tenant and x.digest = c.digest
    and x.at < p_before;
  get diagnostics v_keys = row_count;
  return v_keys;
end $$;
