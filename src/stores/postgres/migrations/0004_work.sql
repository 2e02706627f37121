-- The work of a session: where it stands, the relations it found, and the commits of conversations.
alter table context.sessions
  add column last_work text,
  add column commit_id text,
  add column commit_position integer,
  -- it ended in a way that leaves a commit, and has none yet
  add column awaits_commit boolean not null default false;

select set_config('throughline.tenant', '*', true);
update context.sessions
set awaits_commit = true
where ended_at is not null and (state = 'aborted' or status ->> 'endedBy' is null);

-- What a sweep looks for, over all tenants. By the minute, as the lists are, so that appends stay HOT updates.
create index sessions_due on context.sessions (activity_minute, id) where ended_at is null;
create index sessions_expiring on context.sessions (expires_at, id) where ended_at is null and expires_at is not null;
create index sessions_uncommitted on context.sessions (ended_at, id) where awaits_commit;

-- A view of the log, as session_state is: each row comes from the event with its sequence. Collation "C" is the order of
-- code points, which every store has. An entry of an index has at most 2,700 bytes, and a node may be longer: the indexes
-- hold the first 160 characters of each, and the digest tells apart what begins alike. They are columns, since row level
-- security lets no expression into an index condition.
create table context.session_edges (
  session_id uuid             not null,
  tenant     text             not null,
  from_node  text collate "C" not null,
  label      text collate "C" not null,
  to_node    text collate "C" not null,
  sequence   integer          not null,
  evidence   json             not null,
  from_start text collate "C" not null,
  to_start   text collate "C" not null,
  digest     uuid             not null,
  primary key (session_id, from_start, label, to_start, sequence, digest)
);

create index session_edges_reverse on context.session_edges (session_id, to_start, label, from_start, sequence);

-- One row for each commit. It outlives its session, and holds nothing of what was said in it.
create table context.conversation_commits (
  tenant          text        not null,
  conversation_id text        not null,
  position        integer     not null,
  commit_id       text        not null,
  session_id      uuid        not null,
  user_id         text        not null,
  made_at         timestamptz not null,
  purged_at       timestamptz,
  primary key (tenant, conversation_id, position)
);

create index conversation_commits_session on context.conversation_commits (session_id);

do $$
declare
  name text;
begin
  foreach name in array array['session_edges', 'conversation_commits'] loop
    execute format('alter table context.%I enable row level security', name);
    execute format('alter table context.%I force row level security', name);
    execute format(
      'create policy tenant on context.%I using (current_setting(''throughline.tenant'', true) in (''*'', tenant))',
      name
    );
  end loop;
end $$;

drop function context.load_session(uuid, text, text, text, boolean);
drop function context.decide_session(
  uuid, text, text, integer, integer, timestamptz, text, text, json, boolean,
  uuid[], text[], text[], text[], json[], text[], text[]
);
drop function context.repair_session(uuid, text, text, integer, json);
drop function context.purge_session(uuid, text, text);
drop view context.session_views;

create view context.session_views with (security_invoker = true) as
  select s.*, st.scratchpad, st.version, st.updated_at
  from context.sessions s
  join context.session_state st on st.session_id = s.id;

-- Relations are replaced by repairs. Links are kept for good: a purge marks them, and nothing else changes them.
grant select on context.session_views to throughline_functions;
grant select, insert, delete on context.session_edges to throughline_functions;
grant select, insert on context.conversation_commits to throughline_functions;
grant select, delete on context.session_edges to throughline_purge;
grant select, update (purged_at, user_id) on context.conversation_commits to throughline_purge;
grant select on context.session_edges, context.conversation_commits to throughline_reader;
grant create on schema context to throughline_functions, throughline_purge;

-- Until the end of the transaction no other commit comes into the conversation. Taken before the lock of a session: who
-- waits for one of the two holds nothing that the other needs.
create function context.lock_conversation(p_tenant text, p_conversation text) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(json_build_array(p_tenant, p_conversation)::text, 4748));
end $$;

-- All views of one session, what its idempotency key wrote and, with p_chained, the last commit of its conversation.
-- p_lock: until the end of the transaction no other decision or append comes in between, nor, with p_chained, a commit.
-- No row: there is no such session.
create function context.load_session(
  p_session uuid, p_tenant text, p_user text, p_key text, p_lock boolean, p_chained boolean
)
returns table (
  view context.session_views, fingerprint text, first_sequence integer, last_sequence integer,
  last_commit context.conversation_commits
)
language plpgsql security definer set search_path = context, pg_temp as $$
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

-- Puts edges of the events behind p_head; g_place is the place of the event, from 1. Of equal edges the first is kept.
create function context.insert_edges(
  p_session uuid, p_tenant text, p_head integer, g_from text[], g_label text[], g_to text[], g_place integer[],
  g_evidence text[]
)
returns void
language plpgsql as $$
begin
  insert into session_edges
    (session_id, tenant, from_node, label, to_node, sequence, evidence, from_start, to_start, digest)
  select p_session, p_tenant, g.from_node, g.label, g.to_node, p_head + g.place, g.evidence::json,
    left(g.from_node, 160), left(g.to_node, 160), md5(json_build_array(g.from_node, g.to_node)::text)::uuid
  from unnest(g_from, g_label, g_to, g_place, g_evidence) with ordinality
    as g (from_node, label, to_node, place, evidence, n)
  order by g.n
  on conflict do nothing;
end $$;

-- Stores a decision with the views it leads to, its relations, and its commit if it makes one. The counters move by what
-- is added, so appends may have come in between; another decision may not: outcome stale. A position of the conversation
-- that is taken by now is a unique violation. Else as in append_events.
create function context.decide_session(
  p_session uuid, p_tenant text, p_user text, p_version integer, p_turns integer, p_at timestamptz, p_key text,
  p_fingerprint text, p_view json, p_clears boolean,
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[],
  g_from text[], g_label text[], g_to text[], g_place integer[], g_evidence text[]
)
returns table (outcome text, first_sequence integer, last_sequence integer)
language plpgsql security definer set search_path = context, pg_temp as $$
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
    perform write_view(p_session, p_view);
    update sessions x
    set head = last_sequence, turns = x.turns + p_turns,
        last_activity_at = v_active, activity_minute = extract(epoch from v_active)::bigint / 60,
        cleared_at = case when p_clears then last_sequence else x.cleared_at end,
        decision_version = x.decision_version + 1
    where x.id = p_session;
  end if;
  return next;
end $$;

create or replace function context.write_view(p_session uuid, p_view json) returns void
language plpgsql as $$
begin
  update sessions x
  set conversation_id = p_view ->> 'conversationId', chatmode = p_view ->> 'chatmode', workflow = p_view ->> 'workflow',
      skill = p_view ->> 'skill', git_branch = p_view ->> 'gitBranch', task = p_view ->> 'task',
      state = p_view -> 'status' ->> 'state', status = p_view -> 'status', active_agent = p_view ->> 'activeAgent',
      started_at = (p_view ->> 'startedAt')::timestamptz, ended_at = (p_view ->> 'endedAt')::timestamptz,
      expires_at = (p_view ->> 'expiresAt')::timestamptz, metadata = p_view -> 'metadata',
      forked_from = p_view -> 'forkedFrom', last_work = p_view ->> 'lastWork',
      commit_id = p_view -> 'commit' ->> 'id', commit_position = (p_view -> 'commit' ->> 'position')::integer,
      awaits_commit = coalesce((p_view ->> 'awaitsCommit')::boolean, false)
  where x.id = p_session;
  update session_state x
  set scratchpad = p_view -> 'scratchpad', version = (p_view ->> 'version')::integer,
      updated_at = (p_view ->> 'updatedAt')::timestamptz
  where x.session_id = p_session;
  if p_view ->> 'endedAt' is not null then
    delete from session_slots x where x.session_id = p_session;
  end if;
end $$;

create or replace function context.fork_session(
  p_source uuid, p_tenant text, p_user text, p_sequence integer, p_session uuid, p_at timestamptz, p_view json,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json
)
returns text
language plpgsql security definer set search_path = context, pg_temp as $$
begin
  perform enter(null);
  if exists (select 1 from sessions x where x.id = p_session) then
    return 'same-id';
  end if;
  perform enter(p_tenant);
  if not exists (select 1 from sessions x where x.id = p_source and owned(x.tenant, x.user_id, p_tenant, p_user)) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
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
    array[e_role], array[e_content], array[e_parts], array[null::text], array[null::text]);
  return 'created';
end $$;

-- Replaces the views and the relations if the head is still p_head. A commit whose position has a link keeps that link.
create function context.repair_session(
  p_session uuid, p_tenant text, p_user text, p_head integer, p_view json,
  g_from text[], g_label text[], g_to text[], g_sequence integer[], g_evidence text[]
)
returns boolean
language plpgsql security definer set search_path = context, pg_temp as $$
declare
  v_commit text := p_view -> 'commit' ->> 'id';
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
  perform write_view(p_session, p_view);
  update sessions x
  set head = (p_view ->> 'head')::integer, turns = (p_view ->> 'turns')::integer,
      cleared_at = (p_view ->> 'clearedAt')::integer, last_activity_at = (p_view ->> 'lastActivityAt')::timestamptz,
      activity_minute = extract(epoch from (p_view ->> 'lastActivityAt')::timestamptz)::bigint / 60,
      decision_version = x.decision_version + 1
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

-- The only function that removes. Locks the session first, so that an append waits and then finds nothing. Of its links
-- those of an earlier session under the same id stay as they are.
create function context.purge_session(p_session uuid, p_tenant text, p_user text, p_at timestamptz)
returns table (events integer, keys integer)
language plpgsql security definer set search_path = context, pg_temp as $$
begin
  perform enter(p_tenant);
  delete from sessions x where x.id = p_session and owned(x.tenant, x.user_id, p_tenant, p_user);
  if not found then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  delete from session_events x where x.session_id = p_session;
  get diagnostics events = row_count;
  delete from session_keys x where x.session_id = p_session;
  get diagnostics keys = row_count;
  delete from session_types x where x.session_id = p_session;
  delete from session_state x where x.session_id = p_session;
  delete from session_slots x where x.session_id = p_session;
  delete from session_edges x where x.session_id = p_session;
  update conversation_commits x set purged_at = p_at, user_id = '' where x.session_id = p_session and x.purged_at is null;
  return next;
end $$;

-- One page of relations; p_nodes null: all of them. p_direction out, in or both; an edge at two of the nodes comes once.
-- Only the conditions given become part of the statement, so that each direction is served by its own index. The planner
-- takes row level security to leave 1 % of the rows, so it would read a whole session for each page and sort it.
create function context.read_edges(
  p_session uuid, p_tenant text, p_user text, p_nodes text[], p_direction text, p_labels text[],
  p_from text, p_label text, p_to text, p_sequence integer, p_limit integer
)
returns table (from_node text, label text, to_node text, sequence integer, evidence text)
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  every text := 'select from_node, label, to_node, sequence, evidence::text from session_edges where session_id = $1'
    || case when p_labels is not null then ' and label = any ($3)' else '' end
    || case when p_from is not null
       then ' and from_start >= left($4, 160) and (from_node, label, to_node, sequence) > ($4, $5, $6, $7)' else '' end;
  leaving text := ' and from_start = any ($9) and from_node = any ($2)';
  reaching text := ' and to_start = any ($9) and to_node = any ($2)';
  starts text[] := array(select left(n, 160) from unnest(p_nodes) as n);
begin
  perform enter(p_tenant);
  if not exists (select 1 from sessions x where x.id = p_session and owned(x.tenant, x.user_id, p_tenant, p_user)) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  return query execute
    case
      -- whoever begins with less comes first, so this is the order of the nodes too
      when p_nodes is null then every || ' order by from_start, from_node, label, to_node, sequence'
      when p_direction = 'out' then every || leaving || ' order by 1, 2, 3, 4'
      when p_direction = 'in' then every || reaching || ' order by 1, 2, 3, 4'
      else every || leaving || ' union all ' || every || reaching || ' and from_node <> all ($2) order by 1, 2, 3, 4'
    end
    || ' limit $8'
    using p_session, p_nodes, p_labels, p_from, p_label, p_to, p_sequence, p_limit, starts;
end $$;

-- Links of a conversation behind p_after; p_user null: of everyone.
create function context.read_commits(
  p_tenant text, p_conversation text, p_user text, p_after integer, p_limit integer
)
returns setof context.conversation_commits
language plpgsql security definer set search_path = context, pg_temp as $$
begin
  perform enter(p_tenant);
  return query
    select x.*
    from conversation_commits x
    where x.tenant = p_tenant and x.conversation_id = p_conversation and x.position > p_after
      and (p_user is null or x.user_id = p_user)
    order by x.position
    limit p_limit;
end $$;

-- Live sessions that were last active before p_idle_since, by the minute and then by id, and behind them those that
-- expired by p_at without being idle, and at last those that ended before p_ended_before and still await their commit. The
-- second look passes over fewer idle ones than the limit, or it is not taken.
create function context.due_sessions(
  p_tenant text, p_user text, p_idle_since timestamptz, p_at timestamptz, p_ended_before timestamptz, p_limit integer
)
returns setof uuid
language plpgsql security definer set search_path = context, pg_temp as $$
declare
  given integer;
  more integer := 0;
begin
  perform enter(p_tenant);
  return query
    select x.id
    from sessions x
    where x.ended_at is null and x.activity_minute <= extract(epoch from p_idle_since)::bigint / 60
      and x.last_activity_at < p_idle_since and owned(x.tenant, x.user_id, p_tenant, p_user)
    order by x.activity_minute, x.id
    limit p_limit;
  get diagnostics given = row_count;
  if given < p_limit then
    return query
      select x.id
      from sessions x
      where x.ended_at is null and x.expires_at <= p_at and x.last_activity_at >= p_idle_since
        and owned(x.tenant, x.user_id, p_tenant, p_user)
      order by x.expires_at, x.id
      limit p_limit - given;
    get diagnostics more = row_count;
  end if;
  if given + more < p_limit then
    return query
      select x.id
      from sessions x
      where x.awaits_commit and x.ended_at < p_ended_before and owned(x.tenant, x.user_id, p_tenant, p_user)
      order by x.ended_at, x.id
      limit p_limit - given - more;
  end if;
end $$;

-- Pages of a log come by the primary key in either direction. Without statistics, or on the first calls of a connection,
-- the planner would rather read and sort the rest of the session for each page.
alter function context.read_events(uuid, text, text, integer, integer, boolean, integer, text[], integer)
  set enable_seqscan = off;
alter function context.read_events(uuid, text, text, integer, integer, boolean, integer, text[], integer)
  set enable_bitmapscan = off;
alter function context.read_events(uuid, text, text, integer, integer, boolean, integer, text[], integer)
  set enable_sort = off;

do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as signature, p.proname as name
    from pg_proc p
    where p.pronamespace = 'context'::regnamespace
      and p.proname in ('lock_conversation', 'load_session', 'insert_edges', 'decide_session', 'repair_session',
        'purge_session', 'read_edges', 'read_commits', 'due_sessions')
  loop
    execute format('revoke all on function %s from public', f.signature);
    if f.name = 'purge_session' then
      execute format('alter function %s owner to throughline_purge', f.signature);
    else
      execute format('alter function %s owner to throughline_functions', f.signature);
    end if;
    -- what only other functions call stays with their owners
    if f.name not in ('lock_conversation', 'insert_edges') then
      execute format('grant execute on function %s to throughline_app', f.signature);
    end if;
  end loop;
end $$;
revoke create on schema context from throughline_functions, throughline_purge;
