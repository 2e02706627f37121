-- Memories. Another service may have made the table: then it is extended in place, no value in it changes, and the
-- service works as before. All keys contain the user id, so that the tables can be distributed by it.
--
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
      ('index_version', array['integer'])
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
  user_id   text not null,
  tenant    text not null default 'local',
  memory_id uuid not null default gen_random_uuid(),
  category  text not null,
  content   text not null,
  primary key (user_id, tenant, memory_id)
) with (fillfactor = 80);

-- Adds what an existing table lacks. Defaults are for writers with plain SQL. lineage: entries as in domain/memory, or
-- plain session ids.
alter table memori.memories
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

create table memori.memory_history (
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
  primary key (user_id, tenant, memory_id, version)
);

-- The sources that lineages name. A key may be longer than an index entry, so it is found by its digest.
create table memori.memory_sources (
  user_id   text not null,
  tenant    text not null,
  digest    uuid not null,
  memory_id uuid not null,
  key       text not null,
  primary key (user_id, tenant, memory_id, digest)
);

-- Starts with the digest: an index that started like the primary key would be used instead of it while the table has no
-- statistics.
create index memory_sources_key on memori.memory_sources (digest, user_id, tenant, memory_id);

-- Idempotency keys of changes to memories, with the stored response. A key may be longer than an index entry, so it is
-- found by its digest.
create table memori.memory_keys (
  user_id     text        not null,
  tenant      text        not null,
  digest      uuid        not null,
  key         text        not null,
  fingerprint text        not null,
  -- Ids, outcomes and counts as JSON, never the text of a memory: the row stays when the memory is forgotten.
  response    text        not null,
  at          timestamptz not null,
  primary key (user_id, tenant, digest)
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
  create unique index memories_user_memory on memori.memories (user_id, tenant, memory_id);
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

-- Fills in missing values of existing columns, with triggers disabled so that none takes it for a change, and reads the
-- sources from existing lineages.
do $$
declare
  triggers text[];
  name text;
begin
  alter table memori.memories alter column source_type set default 'bootstrap';
  if exists (select 1 from memori.memories where source_type is null) then
    triggers := array(
      select g.tgname from pg_trigger g
      where g.tgrelid = 'memori.memories'::regclass and not g.tgisinternal and g.tgenabled = 'O'
    );
    foreach name in array triggers loop
      execute format('alter table memori.memories disable trigger %I', name);
    end loop;
    update memori.memories set source_type = 'bootstrap' where source_type is null;
    foreach name in array triggers loop
      execute format('alter table memori.memories enable trigger %I', name);
    end loop;
  end if;

  insert into memori.memory_sources (user_id, tenant, digest, memory_id, key)
  select m.user_id::text, m.tenant, md5('session:' || l.id)::uuid, m.memory_id, 'session:' || l.id
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
  where l.id is not null;

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

-- A memory as in the port. All functions are in the schema context, because others may create functions in memori.
create type context.memory_row as (
  id uuid, tenant text, user_id text, category text, content text, scope text, source_type text,
  confidence double precision, lineage json, use_count integer, created_at timestamptz, last_used_at timestamptz,
  expires_at timestamptz, superseded_by uuid, superseded_at timestamptz, metadata json
);

create function context.to_memory_row(m memori.memories) returns context.memory_row
language sql stable as $$
  select row(
    m.memory_id, m.tenant, m.user_id, m.category, m.content, m.scope, m.source_type, m.confidence, m.lineage, m.use_count,
    m.created_at, m.last_used_at, m.expires_at, m.superseded_by, m.superseded_at, m.metadata
  )::context.memory_row
$$;

-- Takes the user's lock for a change and returns the memories it names, locked, so that their counts do not rise
-- meanwhile. One row with stale: a session of p_sessions is missing or not the user's, the events of p_session up to
-- p_from are not the extracted ones, or its log does not reach p_to.
--
-- This function and those below find many rows one by one by their full key: while the table has no statistics, as
-- during an import, the planner assumes few memories per user and would read all of them each time. OFFSET 0 keeps the
-- lookups.
create function context.load_memory_change(
  p_tenant text, p_user text, p_sessions uuid[], p_session uuid, p_from integer, p_to integer, p_ids uuid[],
  p_fingerprints text[], p_source text
)
returns table (stale boolean, memory context.memory_row)
language plpgsql security definer set search_path = context, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_user memori.memories.user_id%type := p_user;
begin
  perform lock_user(p_tenant, p_user);
  perform set_tenant(p_tenant);
  if p_session is not null and not exists (
    select 1
    from sessions s
    left join session_marks k on k.session_id = s.id
    where s.id = p_session and s.tenant = p_tenant and s.user_id = p_user and coalesce(k.extracted, 0) = p_from
      and s.head >= p_to
  ) or exists (
    select 1
    from unnest(p_sessions) as w (id)
    where not exists (select 1 from sessions s where s.id = w.id and s.tenant = p_tenant and s.user_id = p_user)
  ) then
    return query select true, null::memory_row;
    return;
  end if;
  return query
    with wanted as (
      select w.id from unnest(p_ids) as w (id)
      union
      select l.memory_id
      from unnest(p_fingerprints) as w (fingerprint)
      cross join lateral (
        select m.memory_id, m.tenant, m.superseded_by
        from memori.memories m
        where m.user_id = v_user and m.fingerprint = w.fingerprint
        offset 0
      ) l
      where l.tenant = p_tenant and l.superseded_by is null
      union
      select x.memory_id
      from memori.memory_sources x
      where x.user_id = p_user and x.tenant = p_tenant and x.digest = md5(p_source)::uuid and x.key = p_source
      order by 1
    )
    select false, l.memory
    from wanted w
    cross join lateral (
      select to_memory_row(m) as memory
      from memori.memories m
      where m.user_id = v_user and m.tenant = p_tenant and m.memory_id = w.id
      for update
    ) l;
end $$;

-- Writes a change, under the lock of load_memory_change. p_puts: memories as in the port, with their fingerprint (null
-- keeps the stored one); reworded marks those with new words, of indexVersion. p_unindexed: memories whose words are
-- removed.
-- p_history: in order. s_*: the keys of lineages. w_*: words as in add_words, with one b_* entry per memory.
create function context.write_memory_change(
  p_tenant text, p_user text, p_puts json, p_removals uuid[], p_unindexed uuid[], p_history json, s_memory uuid[], s_key text[],
  w_memory uuid[], w_term text[], w_data bytea[], b_memory uuid[], b_words integer[], b_long integer[],
  p_session uuid, p_extracted integer
)
returns void
language plpgsql security definer set search_path = context, pg_temp set enable_seqscan = off set jit = off as $$
declare
  v_user memori.memories.user_id%type := p_user;
  v_id uuid;
  n integer := cardinality(b_memory);
begin
  perform set_tenant(p_tenant);
  perform remove_words(p_tenant, p_user, 'memories', p_unindexed);
  foreach v_id in array p_removals loop
    delete from memori.memories m where m.user_id = v_user and m.tenant = p_tenant and m.memory_id = v_id;
    if found then
      delete from memori.memory_history x where x.user_id = p_user and x.tenant = p_tenant and x.memory_id = v_id;
      delete from memori.memory_sources x where x.user_id = p_user and x.tenant = p_tenant and x.memory_id = v_id;
    end if;
  end loop;

  for v_id in select (p ->> 'id')::uuid from json_array_elements(p_puts) p loop
    delete from memori.memory_sources x where x.user_id = p_user and x.tenant = p_tenant and x.memory_id = v_id;
  end loop;
  insert into memori.memory_sources (user_id, tenant, digest, memory_id, key)
  select p_user, p_tenant, md5(s.key)::uuid, s.memory, s.key from unnest(s_memory, s_key) as s (memory, key);
  insert into memori.memories as m (
    user_id, memory_id, tenant, category, content, scope, source_type, confidence, lineage, use_count, created_at,
    last_used_at, expires_at, superseded_by, superseded_at, metadata, fingerprint, index_version
  )
  select v_user, p.id, p_tenant, p.category, p.content, p.scope, p."sourceType", p.confidence, p.lineage, p."useCount",
    p."createdAt", p."lastUsedAt", p."expiresAt", p."supersededBy", p."supersededAt", p.metadata, p.fingerprint,
    case
      when p.reworded then p."indexVersion"
      else (
        select x.index_version from memori.memories x
        where x.user_id = v_user and x.tenant = p_tenant and x.memory_id = p.id
      )
    end
  from json_to_recordset(p_puts) as p (
    id uuid, category text, content text, scope text, "sourceType" text, confidence numeric, lineage json,
    "useCount" integer, "createdAt" timestamptz, "lastUsedAt" timestamptz, "expiresAt" timestamptz,
    "supersededBy" uuid, "supersededAt" timestamptz, metadata json, fingerprint text, reworded boolean,
    "indexVersion" integer
  )
  on conflict (user_id, tenant, memory_id) do update
  set category = excluded.category, content = excluded.content, scope = excluded.scope,
      source_type = excluded.source_type, confidence = excluded.confidence, lineage = excluded.lineage,
      use_count = excluded.use_count, created_at = excluded.created_at, last_used_at = excluded.last_used_at,
      expires_at = excluded.expires_at, superseded_by = excluded.superseded_by, superseded_at = excluded.superseded_at,
      metadata = excluded.metadata, fingerprint = coalesce(excluded.fingerprint, m.fingerprint),
      index_version = excluded.index_version;

  insert into memori.memory_history (user_id, memory_id, version, tenant, at, change, confidence, source, note, by_memory)
  select p_user, h.id,
    coalesce((
      select max(x.version) from memori.memory_history x
      where x.user_id = p_user and x.tenant = p_tenant and x.memory_id = h.id
    ), 0) + row_number() over (partition by h.id order by h.n),
    p_tenant, h.at, h.change, h.confidence, h.source, h.note, h.by
  from json_to_recordset(p_history) as h (
    id uuid, n integer, at timestamptz, change text, confidence numeric, source json, note text, by uuid
  );

  if n > 0 then
    perform add_words(p_tenant, p_user, 'memories',
      w_memory, array_fill(0, array[cardinality(w_term)]), w_term, array_fill(1, array[cardinality(w_term)]), w_data,
      b_memory, array_fill(0, array[n]), array_fill(1, array[n]), array_fill(1, array[n]), b_words, b_long);
  end if;
  if p_session is not null then
    insert into session_marks (session_id, tenant, extracted)
    values (p_session, p_tenant, p_extracted)
    on conflict (session_id) do update set extracted = excluded.extracted;
  end if;
end $$;

create function context.get_memories(p_tenant text, p_user text, p_ids uuid[]) returns setof context.memory_row
language plpgsql security definer set search_path = context, pg_temp set enable_seqscan = off set jit = off as $$
begin
  perform set_tenant(p_tenant);
  return query
    select (to_memory_row(l.m)).*
    from (select distinct w.id from unnest(p_ids) as w (id)) w
    cross join lateral (
      select m from memori.memories m where m.memory_id = w.id offset 0
    ) l
    where can_access((l.m).tenant, (l.m).user_id::text, p_tenant, p_user);
end $$;

create function context.list_memories(p_tenant text, p_user text, p_after uuid, p_limit integer)
returns setof context.memory_row
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
declare
  v_user memori.memories.user_id%type := p_user;
begin
  perform set_tenant(p_tenant);
  return query
    select (to_memory_row(m)).*
    from memori.memories m
    where m.user_id = v_user and m.tenant = p_tenant
      and m.memory_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
    order by m.memory_id
    limit p_limit;
end $$;

create function context.read_memory_history(p_tenant text, p_user text, p_memory uuid)
returns table (
  version integer, at timestamptz, change text, confidence double precision, source json, note text, by_memory uuid
)
language plpgsql security definer set search_path = context, pg_temp set enable_seqscan = off set jit = off as $$
begin
  perform set_tenant(p_tenant);
  return query
    select h.version, h.at, h.change, h.confidence::double precision, h.source, h.note, h.by_memory
    from memori.memories m
    join memori.memory_history h on h.user_id = m.user_id::text and h.tenant = m.tenant and h.memory_id = m.memory_id
    where m.memory_id = p_memory and can_access(m.tenant, m.user_id::text, p_tenant, p_user)
    order by h.version;
end $$;

create function context.memories_by_source(p_tenant text, p_user text, p_key text, p_after uuid, p_limit integer)
returns setof context.memory_row
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  v_user memori.memories.user_id%type := p_user;
begin
  perform set_tenant(p_tenant);
  return query
    select (to_memory_row(l.m)).*
    from (
      select x.memory_id
      from memori.memory_sources x
      where x.user_id = p_user and x.tenant = p_tenant and x.digest = md5(p_key)::uuid and x.key = p_key
        and x.memory_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
      order by x.memory_id
      limit p_limit
    ) s
    cross join lateral (
      select m from memori.memories m where m.user_id = v_user and m.tenant = p_tenant and m.memory_id = s.memory_id offset 0
    ) l
    order by s.memory_id;
end $$;

create function context.count_memory_uses(p_tenant text, p_user text, p_ids uuid[], p_at timestamptz) returns void
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
    where m.user_id = v_user and m.tenant = p_tenant and m.memory_id = v_id;
  end loop;
end $$;

create function context.expired_memories(p_tenant text, p_user text, p_at timestamptz, p_limit integer)
returns setof context.memory_row
language plpgsql security definer set search_path = context, pg_temp set enable_seqscan = off set jit = off as $$
begin
  perform set_tenant(p_tenant);
  return query
    select (to_memory_row(m)).*
    from memori.memories m
    where m.expires_at <= p_at and can_access(m.tenant, m.user_id::text, p_tenant, p_user)
    order by m.expires_at, m.memory_id
    limit p_limit;
end $$;

-- Returns current memories that have no words, or words of a version before p_version; each is a range of the index.
create function context.unindexed_memories(p_tenant text, p_user text, p_version integer, p_limit integer)
returns setof context.memory_row
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  v_user memori.memories.user_id%type := p_user;
begin
  perform set_tenant(p_tenant);
  return query
    select (to_memory_row(u.m)).*
    from (
      select m from memori.memories m
      where m.tenant = p_tenant and m.user_id = v_user and m.superseded_by is null and m.index_version is null
      union all
      select m from memori.memories m
      where m.tenant = p_tenant and m.user_id = v_user and m.superseded_by is null and m.index_version < p_version
    ) u
    limit p_limit;
end $$;

-- Deletes everything of a user except sessions, which must then be indexed again. Returns the numbers of memories and
-- keys.
create function context.purge_memories(p_tenant text, p_user text) returns table (memories integer, keys integer)
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
declare
  v_user memori.memories.user_id%type := p_user;
  v_corpora bigint[];
begin
  perform lock_user(p_tenant, p_user);
  perform set_tenant(p_tenant);
  delete from memori.memory_history x where x.user_id = p_user and x.tenant = p_tenant;
  delete from memori.memory_sources x where x.user_id = p_user and x.tenant = p_tenant;
  delete from memori.memory_keys x where x.user_id = p_user and x.tenant = p_tenant;
  get diagnostics keys = row_count;
  delete from memori.memories m where m.user_id = v_user and m.tenant = p_tenant;
  get diagnostics memories = row_count;
  with deleted as (
    delete from recall_corpora x where x.user_id = p_user and x.tenant = p_tenant returning x.corpus_id
  )
  select array_agg(g.corpus_id) into v_corpora from deleted g;
  delete from recall_terms x where x.corpus_id = any (v_corpora);
  delete from recall_speakers x where x.corpus_id = any (v_corpora);
  delete from recall_postings x where x.corpus_id = any (v_corpora);
  delete from recall_blocks x where x.corpus_id = any (v_corpora);
  delete from recall_messages x where x.corpus_id = any (v_corpora);
  update session_marks x
  set indexed = 0, turns = 0
  from sessions s
  where s.tenant = p_tenant and s.user_id = p_user and x.session_id = s.id;
  return next;
end $$;

-- Returns the response stored for a key. Takes the user's lock, as load_memory_change does, so no other change uses the
-- key.
create function context.load_memory_key(p_tenant text, p_user text, p_key text)
returns table (fingerprint text, response text)
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
begin
  perform lock_user(p_tenant, p_user);
  perform set_tenant(p_tenant);
  return query
    select x.fingerprint, x.response
    from memori.memory_keys x
    where x.user_id = p_user and x.tenant = p_tenant and x.digest = md5(p_key)::uuid and x.key = p_key;
end $$;

-- Stores the key of a change, under the lock of load_memory_key.
create function context.write_memory_key(
  p_tenant text, p_user text, p_key text, p_fingerprint text, p_response text, p_at timestamptz
)
returns void
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform set_tenant(p_tenant);
  insert into memori.memory_keys (user_id, tenant, digest, key, fingerprint, response, at)
  values (p_user, p_tenant, md5(p_key)::uuid, p_key, p_fingerprint, p_response, p_at);
end $$;

-- Returns the response stored for a key by any user, if the fingerprint matches.
create function context.find_memory_key(p_tenant text, p_user text, p_key text, p_fingerprint text)
returns table (response text)
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
begin
  perform set_tenant(p_tenant);
  return query
    select x.response
    from memori.memory_keys x
    where x.fingerprint = p_fingerprint and x.digest = md5(p_key)::uuid and x.key = p_key
      and can_access(x.tenant, x.user_id, p_tenant, p_user)
    limit 1;
end $$;

-- Deletes the oldest p_limit keys stored before p_before and returns their number. A key stored again meanwhile stays.
create function context.delete_memory_keys(p_tenant text, p_user text, p_before timestamptz, p_limit integer)
returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_keys integer;
begin
  perform set_tenant(p_tenant);
  with chosen as (
    select x.user_id, x.tenant, x.digest
    from memori.memory_keys x
    where x.at < p_before and can_access(x.tenant, x.user_id, p_tenant, p_user)
    order by x.at
    limit p_limit
  )
  delete from memori.memory_keys x using chosen c
  where x.user_id = c.user_id and x.tenant = c.tenant and x.digest = c.digest and x.at < p_before;
  get diagnostics v_keys = row_count;
  return v_keys;
end $$;
