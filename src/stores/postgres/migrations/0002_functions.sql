-- What the application may do. Each function first says for whom, which row level security goes by; p_tenant null is
-- the operator. Errors are told apart by SQLSTATE: TL001 there is no such session.

create function context.enter(p_tenant text) returns void
language plpgsql as $$
begin
  perform set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
end $$;

create function context.owned(s_tenant text, s_user text, p_tenant text, p_user text) returns boolean
language sql immutable as $$
  select (p_tenant is null or s_tenant = p_tenant) and (p_user is null or s_user = p_user)
$$;

-- All views of one session, and what its idempotency key wrote. p_lock: until the end of the transaction no other
-- decision or append comes in between. No row: there is no such session.
create function context.load_session(p_session uuid, p_tenant text, p_user text, p_key text, p_lock boolean)
returns table (view context.session_views, fingerprint text, first_sequence integer, last_sequence integer)
language plpgsql security definer set search_path = context, pg_temp as $$
begin
  perform enter(p_tenant);
  if p_lock then
    perform 1 from sessions s where s.id = p_session for update;
  end if;
  return query
    select v, k.fingerprint, k.first_sequence, k.last_sequence
    from session_views v
    left join session_keys k on k.session_id = v.id and k.key = p_key
    where v.id = p_session and owned(v.tenant, v.user_id, p_tenant, p_user);
end $$;

-- Many appends in one call, those of one session side by side; e_item is the item of each event and e_place its place in
-- it, from 1. One outcome for each item: written, replayed (first and last sequence), mismatch, ended (when), conflict
-- (last is the head), missing.
--
-- The loop looks and counts, with one read and one write of each head; all events go in by one statement at the end.
create function context.append_events(
  p_session uuid[], p_tenant text[], p_user text[], p_count integer[], p_turns integer[], p_at timestamptz[],
  p_key text[], p_fingerprint text[], p_expected integer[],
  e_item integer[], e_place integer[], e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[],
  e_agent text[], e_occurred text[]
)
returns table (outcome text, first_sequence integer, last_sequence integer, ended timestamptz)
language plpgsql security definer set search_path = context, pg_temp as $$
declare
  n integer := cardinality(p_session);
  -- what each item comes to; a sequence of 0 is none
  outcomes text[] := array_fill('written'::text, array[n]);
  heads integer[] := array_fill(0, array[n]);
  lasts integer[] := array_fill(0, array[n]);
  ends timestamptz[] := array_fill(null::timestamptz, array[n]);
  tenants text[] := array_fill(''::text, array[n]);
  s record;
  k record;
  began integer := 1;
  reached integer;
  turned integer;
  last_at timestamptz;
begin
  for i in 1 .. n loop
    -- the head is read for each session, and again when another tenant asks, whose eyes may not see it
    if i = 1 or p_session[i] <> p_session[i - 1] or p_tenant[i] is distinct from p_tenant[i - 1] then
      perform set_config('throughline.tenant', coalesce(p_tenant[i], '*'), true);
      select x.tenant, x.user_id, x.head, x.ended_at, x.expires_at into s
      from sessions x
      where x.id = p_session[i]
      for update;
      began := i;
      reached := s.head;
      turned := 0;
    end if;

    if s.head is null or not owned(s.tenant, s.user_id, p_tenant[i], p_user[i]) then
      outcomes[i] := 'missing';
    else
      if p_key[i] is not null then
        select x.fingerprint, x.first_sequence - 1 as head, x.last_sequence as last into k
        from session_keys x
        where x.session_id = p_session[i] and x.key = p_key[i];
        -- the same key may have come earlier in this very call
        for j in began .. i - 1 loop
          if p_key[j] = p_key[i] and outcomes[j] = 'written' then
            select p_fingerprint[j] as fingerprint, heads[j] as head, lasts[j] as last into k;
          end if;
        end loop;
        if k.fingerprint is not null then
          outcomes[i] := case when k.fingerprint = p_fingerprint[i] then 'replayed' else 'mismatch' end;
          heads[i] := k.head;
          lasts[i] := k.last;
        end if;
      end if;
      if outcomes[i] = 'written' then
        if s.ended_at is not null or s.expires_at <= p_at[i] then
          outcomes[i] := 'ended';
          ends[i] := coalesce(s.ended_at, s.expires_at);
        elsif p_expected[i] <> reached then
          outcomes[i] := 'conflict';
          lasts[i] := reached;
        else
          heads[i] := reached;
          reached := reached + p_count[i];
          lasts[i] := reached;
          tenants[i] := s.tenant;
          turned := turned + p_turns[i];
          last_at := p_at[i];
        end if;
      end if;
    end if;

    if reached > s.head and (i = n or p_session[i + 1] <> p_session[i] or p_tenant[i + 1] is distinct from p_tenant[i]) then
      update sessions x
      set head = reached, turns = x.turns + turned, last_activity_at = last_at,
          activity_minute = extract(epoch from last_at)::bigint / 60
      where x.id = p_session[i];
    end if;
  end loop;

  if n = 1 and outcomes[1] = 'written' then
    perform insert_events(p_session[1], tenants[1], heads[1], p_at[1], p_key[1], p_fingerprint[1],
      e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred);
  elsif 'written' = any (outcomes) then
    -- every item was looked at with its caller's eyes; now they are written together
    perform set_config('throughline.tenant', '*', true);
    insert into session_events
      (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
    select i.session, i.head + e.place, e.id, i.tenant, e.type, e.role, e.content, e.parts, e.agent, e.occurred, i.at
    from unnest(e_item, e_place, e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred)
      as e (item, place, id, type, role, content, parts, agent, occurred)
    join unnest(p_session, heads, tenants, p_at, outcomes) with ordinality as i (session, head, tenant, at, outcome, item)
      on i.item = e.item
    where i.outcome = 'written';

    insert into session_types (session_id, tenant, type, block)
    select distinct i.session, i.tenant, e.type, (i.head + e.place) / 256
    from unnest(e_item, e_place, e_type) as e (item, place, type)
    join unnest(p_session, heads, tenants, outcomes) with ordinality as i (session, head, tenant, outcome, item)
      on i.item = e.item
    where i.outcome = 'written'
    on conflict do nothing;

    insert into session_keys (session_id, tenant, key, fingerprint, first_sequence, last_sequence)
    select i.session, i.tenant, i.key, i.fingerprint, i.head + 1, i.last
    from unnest(p_session, tenants, p_key, p_fingerprint, heads, lasts, outcomes)
      as i (session, tenant, key, fingerprint, head, last, outcome)
    where i.outcome = 'written' and i.key is not null;
  end if;

  return query
    select i.outcome, i.head + 1, i.last, i.ended
    from unnest(outcomes, heads, lasts, ends) with ordinality as i (outcome, head, last, ended, n)
    order by i.n;
end $$;

-- Puts events behind p_head, with the key that wrote them. Checks nothing.
create function context.insert_events(
  p_session uuid, p_tenant text, p_head integer, p_at timestamptz, p_key text, p_fingerprint text,
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[]
)
returns void
language plpgsql as $$
begin
  insert into session_events
    (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
  select p_session, p_head + e.n, e.id, p_tenant, e.type, e.role, e.content, e.parts, e.agent, e.occurred, p_at
  from unnest(e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred)
    with ordinality as e (id, type, role, content, parts, agent, occurred, n);

  insert into session_types (session_id, tenant, type, block)
  select distinct p_session, p_tenant, e.type, ((p_head + e.n) / 256)::integer
  from unnest(e_type) with ordinality as e (type, n)
  on conflict do nothing;

  if p_key is not null then
    insert into session_keys (session_id, tenant, key, fingerprint, first_sequence, last_sequence)
    values (p_session, p_tenant, p_key, p_fingerprint, p_head + 1, p_head + cardinality(e_id));
  end if;
end $$;

-- Stores a decision with the views it leads to. The counters move by what is added, so appends may have come in between;
-- another decision may not: outcome stale. Else as in append_events.
create function context.decide_session(
  p_session uuid, p_tenant text, p_user text, p_version integer, p_turns integer, p_at timestamptz, p_key text,
  p_fingerprint text, p_view json, p_clears boolean,
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[]
)
returns table (outcome text, first_sequence integer, last_sequence integer)
language plpgsql security definer set search_path = context, pg_temp as $$
declare
  s record;
begin
  perform enter(p_tenant);
  select x.tenant, x.user_id, x.head, x.decision_version into s from sessions x where x.id = p_session for update;
  if s.head is null or not owned(s.tenant, s.user_id, p_tenant, p_user) then
    outcome := 'missing';
  elsif s.decision_version <> p_version then
    outcome := 'stale';
  else
    outcome := 'written';
    first_sequence := s.head + 1;
    last_sequence := s.head + cardinality(e_id);
    perform insert_events(p_session, s.tenant, s.head, p_at, p_key, p_fingerprint,
      e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred);
    perform write_view(p_session, p_view);
    update sessions x
    set head = last_sequence, turns = x.turns + p_turns, last_activity_at = p_at,
        activity_minute = extract(epoch from p_at)::bigint / 60,
        cleared_at = case when p_clears then last_sequence else x.cleared_at end,
        decision_version = x.decision_version + 1
    where x.id = p_session;
  end if;
  return next;
end $$;

-- Writes the parts of the views that decisions own. What ends a session frees its scope.
create function context.write_view(p_session uuid, p_view json) returns void
language plpgsql as $$
begin
  update sessions x
  set conversation_id = p_view ->> 'conversationId', chatmode = p_view ->> 'chatmode', workflow = p_view ->> 'workflow',
      skill = p_view ->> 'skill', git_branch = p_view ->> 'gitBranch', task = p_view ->> 'task',
      state = p_view -> 'status' ->> 'state', status = p_view -> 'status', active_agent = p_view ->> 'activeAgent',
      started_at = (p_view ->> 'startedAt')::timestamptz, ended_at = (p_view ->> 'endedAt')::timestamptz,
      expires_at = (p_view ->> 'expiresAt')::timestamptz, metadata = p_view -> 'metadata',
      forked_from = p_view -> 'forkedFrom'
  where x.id = p_session;
  update session_state x
  set scratchpad = p_view -> 'scratchpad', version = (p_view ->> 'version')::integer,
      updated_at = (p_view ->> 'updatedAt')::timestamptz
  where x.session_id = p_session;
  if p_view ->> 'endedAt' is not null then
    delete from session_slots x where x.session_id = p_session;
  end if;
end $$;

-- Inserts the rows of a new session and takes its scope.
create function context.insert_session(p_session uuid, p_view json) returns void
language plpgsql as $$
declare
  v_tenant text := p_view ->> 'tenant';
begin
  insert into sessions (
    id, tenant, user_id, conversation_id, chatmode, state, status, active_agent, head, turns, cleared_at, started_at,
    last_activity_at, activity_minute, metadata
  ) values (
    p_session, v_tenant, p_view ->> 'userId', p_view ->> 'conversationId', p_view ->> 'chatmode',
    p_view -> 'status' ->> 'state', p_view -> 'status', p_view ->> 'activeAgent', (p_view ->> 'head')::integer,
    (p_view ->> 'turns')::integer, (p_view ->> 'clearedAt')::integer, (p_view ->> 'startedAt')::timestamptz,
    (p_view ->> 'lastActivityAt')::timestamptz, extract(epoch from (p_view ->> 'lastActivityAt')::timestamptz)::bigint / 60,
    p_view -> 'metadata'
  );
  insert into session_state (session_id, tenant, scratchpad, version, updated_at)
  values (p_session, v_tenant, p_view -> 'scratchpad', (p_view ->> 'version')::integer, (p_view ->> 'updatedAt')::timestamptz);
  if p_view ->> 'endedAt' is null then
    insert into session_slots (tenant, user_id, chatmode, conversation_id, session_id)
    values (v_tenant, p_view ->> 'userId', p_view ->> 'chatmode', p_view ->> 'conversationId', p_session);
  end if;
  perform write_view(p_session, p_view);
end $$;

-- Outcomes as the port has them, with the id of the session created, found or in the way. The lock on (tenant, user,
-- chatmode) lets one of many callers create.
create function context.create_session(
  p_session uuid, p_reuse text, p_at timestamptz, p_view json,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json
)
returns table (outcome text, session_id uuid)
language plpgsql security definer set search_path = context, pg_temp as $$
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
  perform insert_session(p_session, p_view);
  perform insert_events(p_session, v_tenant, 0, p_at, null, null, array[e_id], array[e_type], array[e_role],
    array[e_content], array[e_parts], array[null::text], array[null::text]);
  return query select 'created', p_session;
exception when unique_violation then
  -- the same id at the same moment in another scope
  return query select 'same-id', p_session;
end $$;

-- Newest session of the scope that has neither ended nor expired. p_conversation null: of any conversation.
create function context.find_active(p_tenant text, p_user text, p_chatmode text, p_conversation text, p_at timestamptz)
returns uuid
language plpgsql security definer set search_path = context, pg_temp as $$
begin
  perform enter(p_tenant);
  return (
    select x.id
    from sessions x
    where x.tenant = p_tenant and x.user_id = p_user and x.chatmode = p_chatmode and x.ended_at is null
      and (p_conversation is null or x.conversation_id = p_conversation)
      and (x.expires_at is null or x.expires_at > p_at)
    order by x.started_at desc, x.id desc
    limit 1
  );
end $$;

-- Copies the log of p_source up to p_sequence under ids of its own and appends one event. Outcome created or same-id.
create function context.fork_session(
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
  perform insert_events(p_session, p_view ->> 'tenant', p_sequence, p_at, null, null, array[e_id], array[e_type],
    array[e_role], array[e_content], array[e_parts], array[null::text], array[null::text]);
  return 'created';
end $$;

create type context.event_row as (
  sequence integer, id uuid, type text, role text, content text, parts text, agent_id text, occurred_at text,
  created_at timestamptz
);

-- One page, from whichever end. With p_turns it ends with the event that starts that turn, and not behind the last clear;
-- it steps through the rows, so nothing beyond the page is read. With p_types it goes from block to block.
create function context.read_events(
  p_session uuid, p_tenant text, p_user text, p_after integer, p_before integer, p_newest_first boolean, p_limit integer,
  p_types text[], p_turns integer
)
returns setof context.event_row
language plpgsql security definer set search_path = context, pg_temp as $$
declare
  s record;
  r event_row;
  b integer;
  low integer := p_after;
  left_turns integer := p_turns;
  given integer := 0;
begin
  perform enter(p_tenant);
  select x.tenant, x.user_id, x.cleared_at into s from sessions x where x.id = p_session;
  if s.tenant is null or not owned(s.tenant, s.user_id, p_tenant, p_user) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;

  if p_types is not null then
    for b in
      select distinct x.block * case when p_newest_first then -1 else 1 end
      from session_types x
      where x.session_id = p_session and x.type = any (p_types)
        and x.block between (p_after + 1) / 256 and (p_before - 1) / 256
      order by 1
    loop
      for r in
        select x.sequence, x.id, x.type, x.role, x.content, x.parts::text, x.agent_id, x.occurred_at, x.created_at
        from session_events x
        where x.session_id = p_session and x.sequence > p_after and x.sequence < p_before
          and x.sequence between abs(b) * 256 and abs(b) * 256 + 255 and x.type = any (p_types)
        order by x.sequence * case when p_newest_first then -1 else 1 end
      loop
        return next r;
        given := given + 1;
        if given = p_limit then
          return;
        end if;
      end loop;
    end loop;
  elsif p_newest_first then
    if p_turns is not null then
      low := greatest(low, s.cleared_at);
    end if;
    for r in
      select x.sequence, x.id, x.type, x.role, x.content, x.parts::text, x.agent_id, x.occurred_at, x.created_at
      from session_events x
      where x.session_id = p_session and x.sequence > low and x.sequence < p_before
      order by x.sequence desc
      limit p_limit
    loop
      return next r;
      if r.type = 'user_message' then
        left_turns := left_turns - 1;
        exit when left_turns = 0;
      end if;
    end loop;
  else
    return query
      select x.sequence, x.id, x.type, x.role, x.content, x.parts::text, x.agent_id, x.occurred_at, x.created_at
      from session_events x
      where x.session_id = p_session and x.sequence > p_after and x.sequence < p_before
      order by x.sequence
      limit p_limit;
  end if;
end $$;

-- Only the conditions given become part of the statement, so that each is served by its own index.
create function context.list_sessions(
  p_tenant text, p_user text, p_state text, p_chatmode text, p_agent text, p_conversation text, p_since timestamptz,
  p_until timestamptz, p_cursor_at timestamptz, p_cursor_id uuid, p_limit integer
)
returns setof context.sessions
language plpgsql security definer set search_path = context, pg_temp as $$
begin
  perform enter(p_tenant);
  return query execute
    'select * from sessions where tenant = $1'
    || case when p_user is not null then ' and user_id = $2' else '' end
    || case when p_state is not null then ' and state = $3' else '' end
    || case when p_chatmode is not null then ' and chatmode = $4' else '' end
    || case when p_agent is not null then ' and active_agent = $5' else '' end
    || case when p_conversation is not null then ' and conversation_id = $6' else '' end
    || case when p_since is not null
       then ' and activity_minute >= extract(epoch from $7)::bigint / 60 and last_activity_at >= $7' else '' end
    || case when p_until is not null
       then ' and activity_minute <= extract(epoch from $8)::bigint / 60 and last_activity_at < $8' else '' end
    || case when p_cursor_id is not null
       then ' and (activity_minute, last_activity_at, id) < (extract(epoch from $9)::bigint / 60, $9, $10)' else '' end
    || ' order by activity_minute desc, last_activity_at desc, id desc limit $11'
    using p_tenant, p_user, p_state, p_chatmode, p_agent, p_conversation, p_since, p_until, p_cursor_at, p_cursor_id,
      p_limit;
end $$;

create function context.session_ids(p_tenant text, p_user text, p_after uuid, p_limit integer) returns setof uuid
language plpgsql security definer set search_path = context, pg_temp as $$
begin
  perform enter(p_tenant);
  return query
    select x.id
    from sessions x
    where (p_after is null or x.id > p_after) and owned(x.tenant, x.user_id, p_tenant, p_user)
    order by x.id
    limit p_limit;
end $$;

create function context.totals(p_tenant text, p_user text) returns table (sessions integer, events bigint)
language plpgsql security definer set search_path = context, pg_temp as $$
begin
  perform enter(p_tenant);
  return query
    select count(*)::integer, coalesce(sum(x.head), 0)::bigint
    from context.sessions x
    where owned(x.tenant, x.user_id, p_tenant, p_user);
end $$;

-- Replaces the views if the head is still p_head.
create function context.repair_session(p_session uuid, p_tenant text, p_user text, p_head integer, p_view json)
returns boolean
language plpgsql security definer set search_path = context, pg_temp as $$
declare
  s record;
begin
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
  return true;
end $$;

-- The only function that removes. Locks the session first, so that an append waits and then finds nothing.
create function context.purge_session(p_session uuid, p_tenant text, p_user text) returns table (events integer, keys integer)
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
  return next;
end $$;

do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as signature, p.proname as name
    from pg_proc p
    where p.pronamespace = 'context'::regnamespace and p.proname <> 'schema_version'
  loop
    execute format('revoke all on function %s from public', f.signature);
    if f.name = 'purge_session' then
      execute format('alter function %s owner to throughline_purge', f.signature);
    else
      execute format('alter function %s owner to throughline_functions', f.signature);
    end if;
    -- what only other functions call stays with their owners
    if f.name in ('enter', 'owned') then
      execute format('grant execute on function %s to throughline_functions, throughline_purge', f.signature);
    elsif f.name not in ('insert_events', 'write_view', 'insert_session') then
      execute format('grant execute on function %s to throughline_app', f.signature);
    end if;
  end loop;
end $$;
revoke create on schema context from throughline_functions, throughline_purge;
