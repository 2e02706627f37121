-- Sessions that are coming in from another store. Their events, types and relations are put in their places right away; nothing reads those of
-- a session without its row in sessions, which comes with the last of them. Until then this says how far it came.
create table context.session_imports (
  session_id uuid        not null primary key,
  tenant     text        not null,
  user_id    text        not null,
  head       integer     not null,
  -- all views after the head, as the functions take them
  view       json        not null,
  -- when the last block came
  at         timestamptz not null default now()
);

-- what a purge of a user looks for
create index session_imports_user on context.session_imports (tenant, user_id, session_id);
-- whatever ends or purges a session looks for its slot by this, and so does each that comes in and has ended
create index session_slots_session on context.session_slots (session_id);

alter table context.session_imports enable row level security;
alter table context.session_imports force row level security;
create policy tenant on context.session_imports using (current_setting('throughline.tenant', true) in ('*', tenant));
grant select, insert, update, delete on context.session_imports to throughline_functions;
grant select, delete on context.session_imports to throughline_purge;
grant select on context.session_imports to throughline_reader;
-- a session that comes back after its purge takes its link over again
grant update (purged_at, user_id) on context.conversation_commits to throughline_functions;
grant create on schema context to throughline_functions, throughline_purge;

-- What is there of a session: its views, or with coming those of one that is not there yet. One statement, so of one moment. No row: nothing is.
-- Row level security lets a case into an index condition, but no coalesce.
create function context.find_import(p_session uuid)
returns table (view context.session_views, coming json, last_event uuid)
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform enter(null);
  return query
    select v, i.view, e.id
    from (select p_session as id) w
    left join session_views v on v.id = w.id
    left join session_imports i on i.session_id = w.id
    join session_events e on e.session_id = w.id and e.sequence = case when v.head is null then i.head else v.head end;
end $$;

-- Puts events under the sequences and times that they have. Checks nothing.
create function context.import_rows(
  p_session uuid, p_tenant text, e_sequence integer[], e_created timestamptz[],
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[]
)
returns void
language plpgsql as $$
begin
  insert into session_events
    (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
  select p_session, e.sequence, e.id, p_tenant, e.type, e.role, e.content, e.parts, e.agent, e.occurred, e.created
  from unnest(e_sequence, e_created, e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred)
    as e (sequence, created, id, type, role, content, parts, agent, occurred);

  insert into session_types (session_id, tenant, type, block)
  select distinct p_session, p_tenant, e.type, e.sequence / 256
  from unnest(e_type, e_sequence) as e (type, sequence)
  on conflict do nothing;
end $$;

-- Puts views in place of the stored ones, as a repair does.
create function context.replace_view(p_session uuid, p_tenant text, p_view json) returns void
language plpgsql as $$
declare
  v_envelope_at integer := (p_view ->> 'envelopeAt')::integer;
begin
  if p_view -> 'envelope' is not null then
    -- an update to what was there might look like one by hand
    delete from session_envelopes x where x.session_id = p_session;
    perform write_envelope(p_session, p_tenant, v_envelope_at, p_view);
  end if;
  perform write_view(p_session, p_view);
  update sessions x
  set head = (p_view ->> 'head')::integer, turns = (p_view ->> 'turns')::integer,
      cleared_at = (p_view ->> 'clearedAt')::integer, last_activity_at = (p_view ->> 'lastActivityAt')::timestamptz,
      activity_minute = extract(epoch from (p_view ->> 'lastActivityAt')::timestamptz)::bigint / 60,
      envelope_at = v_envelope_at, decision_version = x.decision_version + 1
  where x.id = p_session;
end $$;

-- Links the commit of a session at the position that it had, as of the event that made it. A link that a purge left behind is the session's
-- again; any other of the session is as it should be.
create function context.import_link(p_session uuid, p_view json) returns void
language plpgsql as $$
declare
  v_block integer;
  v_made timestamptz;
begin
  select max(x.block) into v_block from session_types x where x.session_id = p_session and x.type = 'session_compacted';
  select x.created_at into v_made
  from session_events x
  where x.session_id = p_session and x.sequence between v_block * 256 and v_block * 256 + 255
    and x.type = 'session_compacted'
  order by x.sequence desc
  limit 1;
  insert into conversation_commits as x
    (tenant, conversation_id, position, commit_id, session_id, user_id, made_at)
  values (p_view ->> 'tenant', p_view ->> 'conversationId', (p_view -> 'commit' ->> 'position')::integer,
    p_view -> 'commit' ->> 'id', p_session, p_view ->> 'userId',
    coalesce(v_made, (p_view ->> 'lastActivityAt')::timestamptz))
  on conflict (tenant, conversation_id, position) do update
  set purged_at = null, user_id = excluded.user_id
  where x.purged_at is not null;
end $$;

-- Puts a block of events with its relations (g_) behind p_after, with the views after it. With p_done the session is there from then on; one that
-- is there goes on. Outcomes: written; owner: the id is somebody else's; conflict: reached is the head; active: other is live in its
-- scope; commit: another one has its position. Only written changes anything.
create function context.import_events(
  p_session uuid, p_after integer, p_done boolean, p_view json, e_sequence integer[], e_created timestamptz[],
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[],
  g_from text[], g_label text[], g_to text[], g_sequence integer[], g_evidence text[]
)
returns table (outcome text, reached integer, other uuid)
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  v_tenant text := p_view ->> 'tenant';
  v_user text := p_view ->> 'userId';
  v_chatmode text := p_view ->> 'chatmode';
  v_conversation text := p_view ->> 'conversationId';
  v_commit text := p_view -> 'commit' ->> 'id';
  v_live boolean := p_view ->> 'endedAt' is null;
  v_locked boolean;
  v_there boolean := false;
  s record;
begin
  perform enter(null);
  v_locked := p_done or exists (select 1 from sessions x where x.id = p_session);
  -- what a create or a commit looks at does not change below it: their locks, before any row's
  if v_locked and v_live then
    perform pg_advisory_xact_lock(hashtextextended(json_build_array(v_tenant, v_user, v_chatmode)::text, 4747));
  end if;
  if v_locked and v_commit is not null then
    perform lock_conversation(v_tenant, v_conversation);
  end if;
  -- where it comes from first: whoever waits for it to move then finds it where it went
  select x.tenant, x.user_id, x.head into s from session_imports x where x.session_id = p_session for update;
  if not found then
    select x.tenant, x.user_id, x.head into s from sessions x where x.id = p_session for update;
    v_there := found;
  end if;
  if s.tenant <> v_tenant or s.user_id <> v_user then
    return query select 'owner', null::integer, null::uuid;
    return;
  end if;
  if coalesce(s.head, 0) <> p_after or (v_there and not v_locked) then
    return query select 'conflict', coalesce(s.head, 0), null::uuid;
    return;
  end if;

  perform enter(v_tenant);
  if p_done or v_there then
    if v_live then
      select x.session_id into other
      from session_slots x
      where x.tenant = v_tenant and x.user_id = v_user and x.chatmode = v_chatmode and x.conversation_id = v_conversation;
      if other <> p_session then
        return query select 'active', null::integer, other;
        return;
      end if;
    end if;
    if v_commit is not null and exists (
      select 1
      from conversation_commits x
      where x.tenant = v_tenant and x.conversation_id = v_conversation
        and x.position = (p_view -> 'commit' ->> 'position')::integer
        and (x.commit_id <> v_commit or x.session_id <> p_session)
    ) then
      return query select 'commit', null::integer, null::uuid;
      return;
    end if;
  end if;

  perform import_rows(p_session, v_tenant, e_sequence, e_created, e_id, e_type, e_role, e_content, e_parts, e_agent,
    e_occurred);
  if cardinality(g_from) > 0 then
    perform insert_edges(p_session, v_tenant, 0, g_from, g_label, g_to, g_sequence, g_evidence);
  end if;
  if v_there then
    if v_live and other is null then
      -- it had another scope, or had ended
      delete from session_slots x where x.session_id = p_session;
      insert into session_slots (tenant, user_id, chatmode, conversation_id, session_id)
      values (v_tenant, v_user, v_chatmode, v_conversation, p_session);
    end if;
    perform replace_view(p_session, v_tenant, p_view);
  elsif p_done then
    delete from session_imports x where x.session_id = p_session;
    perform insert_session(p_session, p_view);
  else
    insert into session_imports (session_id, tenant, user_id, head, view)
    values (p_session, v_tenant, v_user, (p_view ->> 'head')::integer, p_view)
    on conflict (session_id) do update set head = excluded.head, view = excluded.view, at = now();
  end if;
  if v_commit is not null and (p_done or v_there) then
    perform import_link(p_session, p_view);
  end if;
  return query select 'written', (p_view ->> 'head')::integer, null::uuid;
exception when unique_violation then
  -- somebody began a session under the id in this very moment
  perform enter(null);
  return query
    select 'conflict', coalesce(
      (select x.head from sessions x where x.id = p_session),
      (select x.head from session_imports x where x.session_id = p_session),
      0
    ), null::uuid;
end $$;

-- Ids of what has begun to come in, behind p_after. Only the conditions given become part of the statement, so that each is served by its own index.
create function context.begun_imports(p_tenant text, p_user text, p_after uuid, p_limit integer) returns setof uuid
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  perform enter(p_tenant);
  return query execute
    'select session_id from session_imports where session_id >= $3 and session_id is distinct from $4'
    || case when p_tenant is not null then ' and tenant = $1' else '' end
    || case when p_user is not null then ' and user_id = $2' else '' end
    || ' order by session_id limit $5'
    using p_tenant, p_user, coalesce(p_after, '00000000-0000-0000-0000-000000000000'), p_after, p_limit;
end $$;

-- Removes all that came of a session that is not there yet, and gives the number of its events.
create function context.discard_import(p_session uuid) returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
declare
  v_events integer;
begin
  perform enter(null);
  delete from session_imports x where x.session_id = p_session;
  if not found then
    return 0;
  end if;
  delete from session_events x where x.session_id = p_session;
  get diagnostics v_events = row_count;
  delete from session_types x where x.session_id = p_session;
  delete from session_edges x where x.session_id = p_session;
  return v_events;
end $$;

-- As before; outcome coming where a session is coming in under the id.
create or replace function context.create_session(
  p_session uuid, p_reuse text, p_even_paused boolean, p_at timestamptz, p_view json,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text
)
returns table (outcome text, session_id uuid)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_tenant text := p_view ->> 'tenant';
  v_user text := p_view ->> 'userId';
  v_chatmode text := p_view ->> 'chatmode';
  v_conversation text := p_view ->> 'conversationId';
begin
  perform pg_advisory_xact_lock(hashtextextended(json_build_array(v_tenant, v_user, v_chatmode)::text, 4747));
  perform enter(null);
  if exists (select 1 from sessions x where x.id = p_session) then
    return query select 'same-id', p_session;
    return;
  end if;
  if exists (select 1 from session_imports x where x.session_id = p_session) then
    return query select 'coming', p_session;
    return;
  end if;
  perform enter(v_tenant);
  if p_reuse <> 'none' then
    session_id := find_active(v_tenant, v_user, v_chatmode, case p_reuse when 'conversation' then v_conversation end, p_at);
    if session_id is not null then
      return query select 'found', session_id;
      return;
    end if;
  end if;
  select x.session_id into session_id
  from session_slots x
  where x.tenant = v_tenant and x.user_id = v_user and x.chatmode = v_chatmode and x.conversation_id = v_conversation;
  if found then
    return query select 'blocked', session_id;
    return;
  end if;
  if not p_even_paused then
    perform check_intake();
  end if;
  perform insert_session(p_session, p_view);
  perform insert_events(p_session, v_tenant, 0, p_at, null, null, array[e_id], array[e_type], array[e_role],
    array[e_content], array[e_parts], array[e_agent], array[e_occurred]);
  return query select 'created', p_session;
exception when unique_violation then
  -- the same id at the same moment in another scope, or from another store
  perform enter(null);
  return query
    select case when exists (select 1 from session_imports x where x.session_id = p_session) then 'coming' else 'same-id' end,
      p_session;
end $$;

-- The same.
create or replace function context.fork_session(
  p_source uuid, p_tenant text, p_user text, p_sequence integer, p_session uuid, p_at timestamptz, p_view json,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text
)
returns text
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform enter(null);
  if exists (select 1 from sessions x where x.id = p_session) then
    return 'same-id';
  end if;
  if exists (select 1 from session_imports x where x.session_id = p_session) then
    return 'coming';
  end if;
  perform enter(p_tenant);
  if not exists (select 1 from sessions x where x.id = p_source and owned(x.tenant, x.user_id, p_tenant, p_user)) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  perform check_intake();
  perform insert_session(p_session, p_view);
  insert into session_events
    (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
  select p_session, x.sequence, gen_random_uuid(), x.tenant, x.type, x.role, x.content, x.parts, x.agent_id, x.occurred_at,
    x.created_at
  from session_events x
  where x.session_id = p_source and x.sequence <= p_sequence;
  insert into session_types (session_id, tenant, type, block)
  select distinct p_session, x.tenant, x.type, x.sequence / 256
  from session_events x
  where x.session_id = p_source and x.sequence <= p_sequence;
  insert into session_edges
    (session_id, tenant, from_node, label, to_node, sequence, evidence, from_start, to_start, digest)
  select p_session, x.tenant, x.from_node, x.label, x.to_node, x.sequence, x.evidence, x.from_start, x.to_start, x.digest
  from session_edges x
  where x.session_id = p_source and x.sequence <= p_sequence;
  perform insert_events(p_session, p_view ->> 'tenant', p_sequence, p_at, null, null, array[e_id], array[e_type],
    array[e_role], array[e_content], array[e_parts], array[e_agent], array[e_occurred]);
  return 'created';
exception when unique_violation then
  perform enter(null);
  return case when exists (select 1 from session_imports x where x.session_id = p_session) then 'coming' else 'same-id' end;
end $$;

do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as signature, p.proname as name
    from pg_proc p
    where p.pronamespace = 'context'::regnamespace
      and p.proname in ('find_import', 'import_rows', 'replace_view', 'import_link', 'import_events', 'begun_imports',
        'discard_import')
  loop
    execute format('revoke all on function %s from public', f.signature);
    if f.name = 'discard_import' then
      execute format('alter function %s owner to throughline_purge', f.signature);
    else
      execute format('alter function %s owner to throughline_functions', f.signature);
    end if;
    -- what only other functions call stays with their owners
    if f.name not in ('import_rows', 'replace_view', 'import_link') then
      execute format('grant execute on function %s to throughline_app', f.signature);
    end if;
  end loop;
end $$;
revoke create on schema context from throughline_functions, throughline_purge;
