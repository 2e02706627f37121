-- The envelope of each session, a view of the log as session_state is, and a switch that stops the intake of new sessions.
alter table context.sessions
  -- sequence of the last event that changed the envelope
  add column envelope_at integer not null default 1;

-- metadata and analysis are json, not jsonb: what was written is read back the same. Cast them to query them.
create table context.session_envelopes (
  session_id uuid        not null primary key,
  persona_id text        not null default '',
  tenant     text        not null,
  subject    text        not null,
  issuer     text,
  scope      text,
  metadata   json        not null default '{}',
  analysis   json        not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- the backfill that wrote it last
  batch      text,
  -- the event it was folded to: it holds while that is the session's envelope_at
  sequence   integer     not null
);

create index session_envelopes_batch on context.session_envelopes (batch, session_id) where batch is not null;
create index session_envelopes_updated on context.session_envelopes (updated_at);

-- Until now no event but the first of a session, or the one that forked it, could change an envelope.
select set_config('throughline.tenant', '*', true);
update context.sessions
set envelope_at = (forked_from ->> 'sequence')::integer + 1
where forked_from is not null;
insert into context.session_envelopes (session_id, tenant, subject, metadata, created_at, updated_at, sequence)
select s.id, s.tenant, s.user_id, s.metadata, s.started_at, s.started_at, s.envelope_at from context.sessions s;

-- Of all tenants, so there is no row level security. Distributed it is a reference table.
create table context.settings (
  name  text not null primary key,
  value text not null
);

alter table context.session_envelopes enable row level security;
alter table context.session_envelopes force row level security;
create policy tenant on context.session_envelopes using (current_setting('throughline.tenant', true) in ('*', tenant));

drop function context.load_session(uuid, text, text, text, boolean, boolean);
drop function context.decide_session(
  uuid, text, text, integer, integer, timestamptz, text, text, json, boolean,
  uuid[], text[], text[], text[], json[], text[], text[], text[], text[], text[], integer[], text[]
);
drop function context.create_session(uuid, text, timestamptz, json, uuid, text, text, text, json);
drop function context.fork_session(
  uuid, text, text, integer, uuid, timestamptz, json, uuid, text, text, text, json
);
drop view context.session_views;

-- The columns of the envelope are null where there is none, or only that of an earlier event.
create view context.session_views with (security_invoker = true) as
  select s.*, st.scratchpad, st.version, st.updated_at, e.persona_id as envelope_persona_id,
    e.tenant as envelope_tenant, e.subject as envelope_subject, e.issuer as envelope_issuer, e.scope as envelope_scope,
    e.metadata as envelope_metadata, e.analysis as envelope_analysis, e.created_at as envelope_created_at,
    e.updated_at as envelope_updated_at, e.batch as envelope_batch
  from context.sessions s
  join context.session_state st on st.session_id = s.id
  left join context.session_envelopes e on e.session_id = s.id and e.sequence = s.envelope_at;

-- The same of the envelope alone.
create view context.envelope_views with (security_invoker = true) as
  select s.id, s.envelope_at, e.persona_id as envelope_persona_id,
    e.tenant as envelope_tenant, e.subject as envelope_subject, e.issuer as envelope_issuer, e.scope as envelope_scope,
    e.metadata as envelope_metadata, e.analysis as envelope_analysis, e.created_at as envelope_created_at,
    e.updated_at as envelope_updated_at, e.batch as envelope_batch
  from context.sessions s
  left join context.session_envelopes e on e.session_id = s.id and e.sequence = s.envelope_at;

grant select on context.session_views, context.envelope_views to throughline_functions;
grant select, insert, update, delete on context.session_envelopes to throughline_functions;
grant select, delete on context.session_envelopes to throughline_purge;
grant select on context.session_envelopes to throughline_reader;
grant select, insert, delete on context.settings to throughline_functions;
grant create on schema context to throughline_functions, throughline_purge;

-- For statements by hand. Ours set the time themselves, and another sequence with it. Citus distributes no table with a trigger unless
-- citus.enable_unsafe_triggers is on; there it may be dropped.
create function context.touch_envelope() returns trigger
language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end $$;

create trigger touch before update on context.session_envelopes
for each row when (new.sequence = old.sequence and new.updated_at = old.updated_at)
execute function context.touch_envelope();

-- As before, with the envelope in the view.
create function context.load_session(
  p_session uuid, p_tenant text, p_user text, p_key text, p_lock boolean, p_chained boolean
)
returns table (
  view context.session_views, fingerprint text, first_sequence integer, last_sequence integer,
  last_commit context.conversation_commits
)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  l context.conversation_commits;
begin
  perform enter(p_tenant);
  if p_lock then
    if p_chained then
      perform lock_conversation(s.tenant, s.conversation_id) from sessions s where s.id = p_session;
    end if;
    perform 1 from sessions s where s.id = p_session for update;
  end if;
  if p_chained then
    select c.* into l
    from sessions s
    join conversation_commits c on c.tenant = s.tenant and c.conversation_id = s.conversation_id
    where s.id = p_session
    order by c.position desc
    limit 1;
  end if;
  return query
    select v, k.fingerprint, k.first_sequence, k.last_sequence, l
    from session_views v
    left join session_keys k on k.session_id = v.id and k.key = p_key
    where v.id = p_session and owned(v.tenant, v.user_id, p_tenant, p_user);
end $$;

-- Stores the envelope of a view as folded to p_sequence. A view without one leaves what is stored as it is.
create function context.write_envelope(p_session uuid, p_tenant text, p_sequence integer, p_view json) returns void
language plpgsql as $$
declare
  v json := p_view -> 'envelope';
  d json := v -> 'document';
begin
  if d is null then
    return;
  end if;
  insert into session_envelopes (
    session_id, persona_id, tenant, subject, issuer, scope, metadata, analysis, created_at, updated_at, batch, sequence
  ) values (
    p_session, d ->> 'persona_id', p_tenant, d ->> 'subject', d ->> 'issuer', d ->> 'scope', d -> 'metadata',
    d -> 'analysis', (d -> 'timestamps' ->> 'created_at')::timestamptz, (d -> 'timestamps' ->> 'updated_at')::timestamptz,
    v ->> 'batch', p_sequence
  )
  on conflict (session_id) do update
  set persona_id = excluded.persona_id, tenant = excluded.tenant, subject = excluded.subject, issuer = excluded.issuer,
      scope = excluded.scope, metadata = excluded.metadata, analysis = excluded.analysis,
      created_at = excluded.created_at, updated_at = excluded.updated_at, batch = excluded.batch,
      sequence = excluded.sequence;
end $$;

-- As before, with the envelope. p_envelope_place: which of the events changed it, from 1; null: none did.
create function context.decide_session(
  p_session uuid, p_tenant text, p_user text, p_version integer, p_turns integer, p_at timestamptz, p_key text,
  p_fingerprint text, p_view json, p_clears boolean, p_envelope_place integer,
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[],
  g_from text[], g_label text[], g_to text[], g_place integer[], g_evidence text[]
)
returns table (outcome text, first_sequence integer, last_sequence integer)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_commit text := p_view -> 'commit' ->> 'id';
  v_active timestamptz := p_at;
  s record;
begin
  if v_commit is not null then
    perform lock_conversation(p_view ->> 'tenant', p_view ->> 'conversationId');
  end if;
  perform enter(p_tenant);
  select x.tenant, x.user_id, x.head, x.decision_version, x.commit_id, x.ended_at, x.last_activity_at into s
  from sessions x
  where x.id = p_session
  for update;
  if s.head is null or not owned(s.tenant, s.user_id, p_tenant, p_user) then
    outcome := 'missing';
  elsif s.decision_version <> p_version
    -- whoever ends a session has seen all of it: somebody may have spoken up in this very moment
    or (s.ended_at is null and p_view ->> 'endedAt' is not null and (p_view ->> 'head')::integer <> s.head + cardinality(e_id))
  then
    outcome := 'stale';
  else
    outcome := 'written';
    first_sequence := s.head + 1;
    last_sequence := s.head + cardinality(e_id);
    perform insert_events(p_session, s.tenant, s.head, p_at, p_key, p_fingerprint,
      e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred);
    if cardinality(g_from) > 0 then
      perform insert_edges(p_session, s.tenant, s.head, g_from, g_label, g_to, g_place, g_evidence);
    end if;
    if v_commit is not null and v_commit is distinct from s.commit_id then
      -- a commit is about what was done, and nothing that is done
      v_active := s.last_activity_at;
      insert into conversation_commits
        (tenant, conversation_id, position, commit_id, session_id, user_id, made_at)
      values (s.tenant, p_view ->> 'conversationId', (p_view -> 'commit' ->> 'position')::integer, v_commit, p_session,
        s.user_id, p_at);
    end if;
    if p_envelope_place is not null then
      perform write_envelope(p_session, s.tenant, s.head + p_envelope_place, p_view);
    end if;
    perform write_view(p_session, p_view);
    update sessions x
    set head = last_sequence, turns = x.turns + p_turns,
        last_activity_at = v_active, activity_minute = extract(epoch from v_active)::bigint / 60,
        cleared_at = case when p_clears then last_sequence else x.cleared_at end,
        envelope_at = coalesce(s.head + p_envelope_place, x.envelope_at),
        decision_version = x.decision_version + 1
    where x.id = p_session;
  end if;
  return next;
end $$;

-- As before, with the envelope.
create or replace function context.insert_session(p_session uuid, p_view json) returns void
language plpgsql as $$
declare
  v_tenant text := p_view ->> 'tenant';
  v_envelope_at integer := (p_view ->> 'envelopeAt')::integer;
begin
  insert into sessions (
    id, tenant, user_id, conversation_id, chatmode, state, status, active_agent, head, turns, cleared_at, envelope_at,
    started_at, last_activity_at, activity_minute, metadata
  ) values (
    p_session, v_tenant, p_view ->> 'userId', p_view ->> 'conversationId', p_view ->> 'chatmode',
    p_view -> 'status' ->> 'state', p_view -> 'status', p_view ->> 'activeAgent', (p_view ->> 'head')::integer,
    (p_view ->> 'turns')::integer, (p_view ->> 'clearedAt')::integer, v_envelope_at,
    (p_view ->> 'startedAt')::timestamptz, (p_view ->> 'lastActivityAt')::timestamptz,
    extract(epoch from (p_view ->> 'lastActivityAt')::timestamptz)::bigint / 60, p_view -> 'metadata'
  );
  insert into session_state (session_id, tenant, scratchpad, version, updated_at)
  values (p_session, v_tenant, p_view -> 'scratchpad', (p_view ->> 'version')::integer, (p_view ->> 'updatedAt')::timestamptz);
  if p_view ->> 'endedAt' is null then
    insert into session_slots (tenant, user_id, chatmode, conversation_id, session_id)
    values (v_tenant, p_view ->> 'userId', p_view ->> 'chatmode', p_view ->> 'conversationId', p_session);
  end if;
  perform write_envelope(p_session, v_tenant, v_envelope_at, p_view);
  perform write_view(p_session, p_view);
end $$;

-- Refuses while the intake is paused, with TL003 and since when as its detail. A pause waits for the transactions that were let in, so
-- none of their sessions comes after it.
create function context.check_intake() returns void
language plpgsql as $$
declare
  v_since text;
begin
  perform pg_advisory_xact_lock_shared(474700002);
  select x.value into v_since from settings x where x.name = 'intake-paused-since';
  if found then
    raise exception using errcode = 'TL003', message = 'no new sessions are taken', detail = v_since;
  end if;
end $$;

create function context.paused_since() returns text
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  return (select x.value from settings x where x.name = 'intake-paused-since');
end $$;

-- p_since null: sessions are taken again.
create function context.pause_intake(p_since text) returns void
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform pg_advisory_xact_lock(474700002);
  if p_since is null then
    delete from settings x where x.name = 'intake-paused-since';
  else
    insert into settings (name, value) values ('intake-paused-since', p_since) on conflict do nothing;
  end if;
end $$;

-- As before; where it would create one, the intake must be open, except with p_even_paused.
create function context.create_session(
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
  -- the same id at the same moment in another scope
  return query select 'same-id', p_session;
end $$;

-- As before, while the intake is open.
create function context.fork_session(
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
end $$;

-- As before, with the envelope, which is put in its place whatever event it is of.
create or replace function context.repair_session(
  p_session uuid, p_tenant text, p_user text, p_head integer, p_view json,
  g_from text[], g_label text[], g_to text[], g_sequence integer[], g_evidence text[]
)
returns boolean
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_commit text := p_view -> 'commit' ->> 'id';
  v_envelope_at integer := (p_view ->> 'envelopeAt')::integer;
  s record;
begin
  if v_commit is not null then
    perform lock_conversation(p_view ->> 'tenant', p_view ->> 'conversationId');
  end if;
  perform enter(p_tenant);
  select x.tenant, x.user_id, x.head into s from sessions x where x.id = p_session for update;
  if s.head is null or not owned(s.tenant, s.user_id, p_tenant, p_user) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  if s.head <> p_head then
    return false;
  end if;
  if p_view -> 'envelope' is not null then
    -- an update to what was there might look like one by hand
    delete from session_envelopes x where x.session_id = p_session;
    perform write_envelope(p_session, s.tenant, v_envelope_at, p_view);
  end if;
  perform write_view(p_session, p_view);
  update sessions x
  set head = (p_view ->> 'head')::integer, turns = (p_view ->> 'turns')::integer,
      cleared_at = (p_view ->> 'clearedAt')::integer, last_activity_at = (p_view ->> 'lastActivityAt')::timestamptz,
      activity_minute = extract(epoch from (p_view ->> 'lastActivityAt')::timestamptz)::bigint / 60,
      envelope_at = v_envelope_at, decision_version = x.decision_version + 1
  where x.id = p_session;
  delete from session_edges x where x.session_id = p_session;
  perform insert_edges(p_session, s.tenant, 0, g_from, g_label, g_to, g_sequence, g_evidence);
  if v_commit is not null then
    insert into conversation_commits
      (tenant, conversation_id, position, commit_id, session_id, user_id, made_at)
    values (s.tenant, p_view ->> 'conversationId', (p_view -> 'commit' ->> 'position')::integer, v_commit, p_session,
      s.user_id, (p_view ->> 'lastActivityAt')::timestamptz)
    on conflict do nothing;
  end if;
  return true;
end $$;

-- As before, with the envelope.
create or replace function context.purge_session(p_session uuid, p_tenant text, p_user text, p_at timestamptz)
returns table (events integer, keys integer)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  s record;
begin
  perform enter(p_tenant);
  select x.tenant, x.user_id into s
  from sessions x
  where x.id = p_session and owned(x.tenant, x.user_id, p_tenant, p_user);
  if s.tenant is not null then
    perform lock_user(s.tenant, s.user_id);
  end if;
  delete from sessions x where x.id = p_session and x.tenant = s.tenant and x.user_id = s.user_id;
  if not found then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  delete from session_events x where x.session_id = p_session;
  get diagnostics events = row_count;
  delete from session_keys x where x.session_id = p_session;
  get diagnostics keys = row_count;
  delete from session_types x where x.session_id = p_session;
  delete from session_state x where x.session_id = p_session;
  delete from session_envelopes x where x.session_id = p_session;
  delete from session_slots x where x.session_id = p_session;
  delete from session_edges x where x.session_id = p_session;
  delete from session_marks x where x.session_id = p_session;
  perform take_words(s.tenant, s.user_id, 'said', array[p_session]);
  update conversation_commits x set purged_at = p_at, user_id = '' where x.session_id = p_session and x.purged_at is null;
  return next;
end $$;

-- Sessions of anyone behind p_after. Both tables are walked in order of their keys.
create function context.page_envelopes(p_after uuid, p_limit integer) returns setof context.envelope_views
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_sort = off as $$
begin
  perform enter(null);
  return query
    select v.*
    from envelope_views v
    where v.id >= coalesce(p_after, '00000000-0000-0000-0000-000000000000') and v.id is distinct from p_after
    order by v.id
    limit p_limit;
end $$;

-- offset 0 keeps each look-up as it is written, by the key.
create function context.find_envelopes(p_ids uuid[]) returns setof context.envelope_views
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  perform enter(null);
  return query
    select f.*
    from unnest(p_ids) as p (id)
    cross join lateral (
      select v.* from envelope_views v where v.id = p.id offset 0
    ) f;
end $$;

-- Envelopes of a batch or, with p_batch null, those written at or after p_since.
create function context.count_envelopes(p_batch text, p_since timestamptz) returns bigint
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
begin
  perform enter(null);
  if p_batch is not null then
    return (select count(*) from session_envelopes x where x.batch = p_batch);
  end if;
  return (select count(*) from session_envelopes x where x.updated_at >= p_since);
end $$;

-- Removes the first p_limit of those and gives their sessions. What is written anew in this very moment stays.
create function context.remove_envelopes(p_batch text, p_since timestamptz, p_limit integer) returns setof uuid
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform enter(null);
  if p_batch is not null then
    return query
      with chosen as (
        select x.session_id from session_envelopes x where x.batch = p_batch order by x.session_id limit p_limit
      ), gone as (
        delete from session_envelopes x using chosen c
        where x.session_id = c.session_id and x.batch = p_batch
        returning x.session_id
      )
      select g.session_id from gone g order by g.session_id;
  else
    return query
      with chosen as (
        select x.session_id from session_envelopes x where x.updated_at >= p_since order by x.session_id limit p_limit
      ), gone as (
        delete from session_envelopes x using chosen c
        where x.session_id = c.session_id and x.updated_at >= p_since
        returning x.session_id
      )
      select g.session_id from gone g order by g.session_id;
  end if;
end $$;

do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as signature, p.proname as name
    from pg_proc p
    where p.pronamespace = 'context'::regnamespace
      and p.proname in ('touch_envelope', 'load_session', 'write_envelope', 'decide_session', 'check_intake',
        'paused_since', 'pause_intake', 'create_session', 'fork_session', 'page_envelopes', 'find_envelopes',
        'count_envelopes', 'remove_envelopes')
  loop
    execute format('revoke all on function %s from public', f.signature);
    execute format('alter function %s owner to throughline_functions', f.signature);
    -- what only other functions call stays with their owners
    if f.name not in ('touch_envelope', 'write_envelope', 'check_intake') then
      execute format('grant execute on function %s to throughline_app', f.signature);
    end if;
  end loop;
end $$;
revoke create on schema context from throughline_functions, throughline_purge;
