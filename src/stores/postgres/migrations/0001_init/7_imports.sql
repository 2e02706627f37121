-- Sessions that are being imported from another store. Their events, types and relations go to their final tables at
-- once; nothing reads them until the row in sessions exists, which comes with the last block. Until then this row holds
-- the progress.
create table context.session_imports (
  partition  smallint    not null,
  session_id uuid        not null,
  tenant     text        not null,
  user_id    text        not null,
  head       integer     not null,
  -- Bytes of the content and parts of its events.
  bytes      bigint      not null default 0,
  -- All views after the head, as the functions take them.
  view       json        not null,
  -- When the last block came.
  at         timestamptz not null default now(),
  primary key (partition, session_id)
);

-- For the purge of a user.
create index session_imports_user on context.session_imports (tenant, user_id, session_id);
-- For lists of all users.
create index session_imports_session on context.session_imports (session_id);

-- Returns what exists of a session: its views, or in coming those of an unfinished import. One statement, so one
-- snapshot. No row: nothing exists. Row level security allows CASE in an index condition, but not COALESCE.
create function context.find_import(p_partition smallint, p_session uuid)
returns table (view context.session_views, importing json, last_event uuid)
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform set_tenant(null);
  return query
    select v, i.view, e.id
    from (select p_session as id) w
    left join session_views v on v.partition = p_partition and v.id = w.id
    left join session_imports i on i.partition = p_partition and i.session_id = w.id
    join session_events e on e.partition = p_partition and e.session_id = w.id
      and e.sequence = case when v.head is null then i.head else v.head end;
end $$;

-- Adds a block of events, relations (g_*) and usage (p_usage, null: none) after p_after, with the views that follow.
-- p_done makes the session visible; a visible session continues. Outcomes: written; owner (the id belongs to someone
-- else); conflict (current_head is the head); active (other is the live session of the scope); commit (another commit
-- has the position). Only written changes anything.
create function context.import_events(
  p_partition smallint, p_session uuid, p_after integer, p_done boolean, p_view json, e_sequence integer[], e_created timestamptz[],
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[],
  e_checksum bytea[],
  g_from text[], g_label text[], g_to text[], g_sequence integer[], g_evidence text[],
  p_clears_usage boolean, p_usage json
)
returns table (outcome text, current_head integer, other uuid)
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  v_tenant text := p_view ->> 'tenant';
  v_user text := p_view ->> 'userId';
  v_chatmode text := p_view ->> 'chatmode';
  v_conversation text := p_view ->> 'conversationId';
  v_commit text := p_view -> 'commit' ->> 'id';
  v_live boolean := p_view ->> 'endedAt' is null;
  v_chain uuid := chain_of(v_tenant, v_user, v_conversation);
  v_now timestamptz := now();
  v_bytes bigint := event_bytes(e_content, e_parts);
  v_locked boolean;
  v_exists boolean := false;
  s record;
begin
  perform set_tenant(null);
  v_locked := p_done or exists (select 1 from sessions x where x.partition = p_partition and x.id = p_session);
  -- Takes the lock of create before any row lock, so that what it checks does not change.
  if v_locked and v_live then
    perform pg_advisory_xact_lock(hashtextextended(json_build_array(v_tenant, v_user, v_chatmode)::text, 4747));
  end if;
  -- Reads the import first: a caller that waited for its end then finds the session.
  select x.tenant, x.user_id, x.head, x.bytes into s from session_imports x where x.partition = p_partition and x.session_id = p_session for update;
  if not found then
    select x.tenant, x.user_id, x.head, x.bytes into s from sessions x where x.partition = p_partition and x.id = p_session for update;
    v_exists := found;
  end if;
  if s.tenant <> v_tenant or s.user_id <> v_user then
    return query select 'owner', null::integer, null::uuid;
    return;
  end if;
  if coalesce(s.head, 0) <> p_after or (v_exists and not v_locked) then
    return query select 'conflict', coalesce(s.head, 0), null::uuid;
    return;
  end if;

  perform set_tenant(v_tenant);
  if p_done or v_exists then
    if v_live then
      select x.session_id into other
      from session_slots x
      where x.partition = p_partition and x.tenant = v_tenant and x.user_id = v_user and x.chatmode = v_chatmode
        and x.conversation_id = v_conversation;
      if other <> p_session then
        return query select 'active', null::integer, other;
        return;
      end if;
    end if;
    if v_commit is not null and exists (
      select 1
      from conversation_commits x
      where x.partition = p_partition and x.chain = v_chain
        and x.position = (p_view -> 'commit' ->> 'position')::integer
        and (x.commit_id <> v_commit or x.session_id <> p_session)
    ) then
      return query select 'commit', null::integer, null::uuid;
      return;
    end if;
  end if;

  perform insert_imported_events(p_partition, p_session, v_tenant, e_sequence, e_created, e_id, e_type, e_role, e_content,
    e_parts, e_agent, e_occurred, e_checksum);
  if cardinality(g_from) > 0 then
    perform insert_edges(p_partition, p_session, v_tenant, 0, g_from, g_label, g_to, g_sequence, g_evidence);
  end if;
  if p_usage is not null then
    perform change_usage(p_partition, p_session, v_tenant, v_user, p_clears_usage, p_usage);
  end if;
  if v_exists then
    if v_live and other is null then
      -- The session had another scope, or had ended.
      delete from session_slots x where x.partition = p_partition and x.session_id = p_session;
      insert into session_slots (partition, tenant, user_id, chatmode, conversation_id, session_id)
      values (p_partition, v_tenant, v_user, v_chatmode, v_conversation, p_session);
    end if;
    perform replace_views(p_partition, p_session, v_tenant, p_view, v_bytes);
  elsif p_done then
    delete from session_imports x where x.partition = p_partition and x.session_id = p_session;
    perform insert_session(p_partition, p_session, p_view, coalesce(s.bytes, 0) + v_bytes);
  else
    insert into session_imports (partition, session_id, tenant, user_id, head, bytes, view, at)
    values (p_partition, p_session, v_tenant, v_user, (p_view ->> 'head')::integer, coalesce(s.bytes, 0) + v_bytes, p_view,
      v_now)
    on conflict (partition, session_id) do update
    set head = excluded.head, bytes = excluded.bytes, view = excluded.view, at = excluded.at;
  end if;
  if v_commit is not null and (p_done or v_exists) then
    perform import_commit(p_partition, p_session, v_chain, p_view);
  end if;
  return query select 'written', (p_view ->> 'head')::integer, null::uuid;
exception when unique_violation then
  -- Another caller started a session with this id, or took the position in the chain, at the same moment.
  perform set_tenant(null);
  return query
    select 'conflict', coalesce(
      (select x.head from sessions x where x.partition = p_partition and x.id = p_session),
      (select x.head from session_imports x where x.partition = p_partition and x.session_id = p_session),
      0
    ), null::uuid;
end $$;

-- Inserts events with their own sequences and times. Checks nothing.
create function context.insert_imported_events(
  p_partition smallint, p_session uuid, p_tenant text, e_sequence integer[], e_created timestamptz[],
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[],
  e_checksum bytea[]
)
returns void
language plpgsql as $$
begin
  insert into session_events
    (partition, session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at, checksum)
  select p_partition, p_session, e.sequence, e.id, p_tenant, e.type, e.role, e.content, e.parts, e.agent, e.occurred,
    e.created, e.checksum
  from unnest(e_sequence, e_created, e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred, e_checksum)
    as e (sequence, created, id, type, role, content, parts, agent, occurred, checksum);

  insert into session_types (partition, session_id, tenant, type, block)
  select distinct p_partition, p_session, p_tenant, e.type, e.sequence / 256
  from unnest(e_type, e_sequence) as e (type, sequence)
  on conflict do nothing;
end $$;

-- Replaces the stored views, and adds p_bytes to those of the log.
create function context.replace_views(
  p_partition smallint, p_session uuid, p_tenant text, p_view json, p_bytes bigint
)
returns void
language plpgsql as $$
declare
  v_envelope_at integer := (p_view ->> 'envelopeAt')::integer;
  v_active timestamptz := (p_view ->> 'lastActivityAt')::timestamptz;
  v_minute integer := minute_of(v_active);
begin
  if p_view -> 'envelope' is not null then
    -- Deleted first: the trigger would take an update with the same sequence for one by hand.
    delete from session_envelopes x where x.partition = p_partition and x.session_id = p_session;
    perform write_envelope(p_partition, p_session, p_tenant, v_envelope_at, p_view);
  end if;
  perform write_view(p_partition, p_session, p_view);
  update sessions x
  set head = (p_view ->> 'head')::integer, turns = (p_view ->> 'turns')::integer,
      bytes = x.bytes + p_bytes, cleared_at = (p_view ->> 'clearedAt')::integer, last_activity_at = v_active,
      activity_minute = v_minute, envelope_at = v_envelope_at, decision_version = x.decision_version + 1,
      usage = (json_populate_record(null::context.input_view, p_view)).usage
  where x.partition = p_partition and x.id = p_session;
end $$;

-- Stores the commit of a session at its position, dated by the event that made it. A commit that a purge left behind
-- belongs to the session again.
create function context.import_commit(p_partition smallint, p_session uuid, p_chain uuid, p_view json) returns void
language plpgsql as $$
declare
  v_block integer;
  v_made timestamptz;
begin
  select max(x.block) into v_block from session_types x where x.partition = p_partition and x.session_id = p_session and x.type = 'session_compacted';
  select x.created_at into v_made
  from session_events x
  where x.partition = p_partition and x.session_id = p_session and x.sequence between v_block * 256 and v_block * 256 + 255
    and x.type = 'session_compacted'
  order by x.sequence desc
  limit 1;
  insert into conversation_commits as x
    (partition, chain, tenant, conversation_id, position, commit_id, session_id, user_id, made_at)
  values (p_partition, p_chain, p_view ->> 'tenant', p_view ->> 'conversationId', (p_view -> 'commit' ->> 'position')::integer,
    p_view -> 'commit' ->> 'id', p_session, p_view ->> 'userId',
    coalesce(v_made, (p_view ->> 'lastActivityAt')::timestamptz))
  on conflict (partition, chain, position) do update
  set purged_at = null, user_id = excluded.user_id
  where x.purged_at is not null;
end $$;

-- Returns ids of unfinished imports after p_after. Only the given conditions become part of the statement, so each is
-- served by its own index.
create function context.list_imports(p_partition smallint, p_tenant text, p_user text, p_after uuid, p_limit integer)
returns setof uuid
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  perform set_tenant(p_tenant);
  return query execute
    'select session_id from session_imports where session_id >= $3 and session_id is distinct from $4'
    || case when p_tenant is not null then ' and tenant = $1' else '' end
    || case when p_user is not null then ' and user_id = $2' else '' end
    || ' order by session_id limit $5'
    using p_tenant, p_user, coalesce(p_after, '00000000-0000-0000-0000-000000000000'), p_after, p_limit;
end $$;

-- Deletes an unfinished import and returns the number of its events.
create function context.discard_import(p_partition smallint, p_session uuid) returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
declare
  v_events integer;
begin
  perform set_tenant(null);
  delete from session_imports x where x.partition = p_partition and x.session_id = p_session;
  if not found then
    return 0;
  end if;
  delete from session_events x where x.partition = p_partition and x.session_id = p_session;
  get diagnostics v_events = row_count;
  delete from session_types x where x.partition = p_partition and x.session_id = p_session;
  delete from session_edges x where x.partition = p_partition and x.session_id = p_session;
  delete from session_usage x where x.partition = p_partition and x.session_id = p_session;
  delete from session_directory x where x.partition = p_partition and x.id = p_session;
  return v_events;
end $$;
