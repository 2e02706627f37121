-- Appends by the set: however many sessions share a call, their heads move in one statement, since each statement of a
-- function costs as much as the row that it writes (32 sessions one by one: 5.0 ms of the server, together: 1.6).
grant create on schema context to throughline_functions;
drop function context.append_events;

-- The number of the block that the head was in, and types that are known to be marked in it, each between blanks: to ask session_types
-- for each event would be a fifth of what an append costs the server. It may tell less than is there (of very many types it tells some),
-- and never more: marks go only with their session.
alter table context.sessions add column marked text not null default '';

-- The straight way of a lone append of one event that has no key and expects no sequence. Gives its sequence; null:
-- nothing was written, and append_events says why.
create function context.append_event(
  p_session uuid, p_tenant text, p_user text, p_turns integer, p_at timestamptz,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text
)
returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  reached integer;
  v_tenant text;
  v_marked text;
  v_block text;
  -- an assignment costs less than a statement
  eyes text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  update sessions x
  set head = x.head + 1, turns = x.turns + p_turns, last_activity_at = p_at,
      activity_minute = extract(epoch from p_at)::bigint / 60
  where x.id = p_session and owned(x.tenant, x.user_id, p_tenant, p_user) and x.ended_at is null
    and (x.expires_at is null or x.expires_at > p_at)
  returning x.head, x.tenant, x.marked into reached, v_tenant, v_marked;
  if reached is null then
    return null;
  end if;
  insert into session_events
    (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
  values (p_session, reached, e_id, v_tenant, e_type, e_role, e_content, e_parts, e_agent, e_occurred, p_at);
  v_block := reached / 256 || ' ';
  if not starts_with(v_marked, v_block) or strpos(v_marked, ' ' || e_type || ' ') = 0 then
    insert into session_types (session_id, tenant, type, block)
    values (p_session, v_tenant, e_type, reached / 256)
    on conflict do nothing;
    update sessions x
    set marked = case when starts_with(v_marked, v_block) then v_marked else v_block end || e_type || ' '
    where x.id = p_session and (length(v_marked) < 400 or not starts_with(v_marked, v_block));
  end if;
  return reached;
end $$;

-- Many appends in one call. s_* are the sessions, each once and those of one tenant side by side; s_at is the time of the
-- last append to it, s_expected the head that it must have, s_type the type of all that it gets if they have one. k_* are the appends with a key: k_place is the place of the first
-- event in what its session gets, k_count how many there are. e_* are the events: e_session the session of each, e_place its place in
-- what that session gets, from 1, e_at its time if that is not s_at. An array that holds nothing but nulls may be null itself.
--
-- heads: for each session in order the head before what it got, null where nothing was written. refused: null, or for each session
-- what it came to if nothing was written: missing, ended (when), conflict (the head that it has), again. known: null, or the
-- keys that are known. Of a session with a known key nothing is written, and what else was for it is told to come again.
create function context.append_events(
  s_id uuid[], s_tenant text[], s_user text[], s_count integer[], s_turns integer[], s_at timestamptz[], s_expected integer[],
  s_type text[],
  k_session integer[], k_key text[], k_fingerprint text[], k_place integer[], k_count integer[],
  e_session integer[], e_place integer[], e_at timestamptz[], e_id uuid[], e_type text[], e_role text[], e_content text[],
  e_parts json[], e_agent text[], e_occurred text[],
  out heads json, out refused json, out known json
)
language plpgsql security definer set search_path = context, pg_temp set jit = off
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  n integer := cardinality(s_id);
  before integer[] := array_fill(null::integer, array[n]);
  tenants text[] := array_fill(null::text, array[n]);
  refusals json[] := array_fill(null::json, array[n]);
  keys json[] := '{}';
  ids uuid[];
  blocks integer[];
  unmarked integer[] := '{}';
  low integer := 1;
  high integer;
  written integer := 0;
  eyes text;
  r record;
begin
  while low <= n loop
    -- those of one caller's tenant, seen with its eyes
    high := n;
    if s_tenant[low] is distinct from s_tenant[n] then
      high := low;
      while s_tenant[high + 1] is not distinct from s_tenant[low] loop
        high := high + 1;
      end loop;
    end if;
    eyes := set_config('throughline.tenant', coalesce(s_tenant[low], '*'), true);
    ids := case when high - low + 1 = n then s_id else s_id[low:high] end;

    if cardinality(k_session) > 0 then
      for r in
        select k.number::integer, k.session, k.fingerprint = y.fingerprint as same, y.first_sequence, y.last_sequence
        from unnest(k_session, k_key, k_fingerprint) with ordinality as k (session, key, fingerprint, number)
        join session_keys y on y.session_id = s_id[k.session] and y.key = k.key
        join sessions x on x.id = s_id[k.session]
        where k.session between low and high and owned(x.tenant, x.user_id, s_tenant[k.session], s_user[k.session])
      loop
        refusals[r.session] := json_build_object('outcome', 'again');
        ids := array_remove(ids, s_id[r.session]);
        keys := keys || json_build_object('number', r.number, 'same', r.same, 'first', r.first_sequence, 'last', r.last_sequence);
      end loop;
    end if;

    for r in
      update sessions x
      set head = x.head + s_count[array_position(s_id, x.id)], turns = x.turns + s_turns[array_position(s_id, x.id)],
          last_activity_at = s_at[array_position(s_id, x.id)],
          activity_minute = extract(epoch from s_at[array_position(s_id, x.id)])::bigint / 60
      where x.id = any (ids) and x.ended_at is null
        and owned(x.tenant, x.user_id, s_tenant[low], s_user[array_position(s_id, x.id)])
        and (x.expires_at is null or x.expires_at > s_at[array_position(s_id, x.id)])
        and (s_expected is null or coalesce(s_expected[array_position(s_id, x.id)], x.head) = x.head)
      returning array_position(s_id, x.id) as i, x.head, x.tenant, x.marked
    loop
      before[r.i] := r.head - s_count[r.i];
      tenants[r.i] := r.tenant;
      written := written + 1;
      if s_type[r.i] is null or (before[r.i] + 1) / 256 <> r.head / 256
        or not starts_with(r.marked, r.head / 256 || ' ') or strpos(r.marked, ' ' || s_type[r.i] || ' ') = 0
      then
        unmarked := unmarked || r.i;
      end if;
    end loop;
    low := high + 1;
  end loop;

  if written < n then
    for i in 1 .. n loop
      continue when before[i] is not null or refusals[i] is not null;
      eyes := set_config('throughline.tenant', coalesce(s_tenant[i], '*'), true);
      select x.head, coalesce(x.ended_at, case when x.expires_at <= s_at[i] then x.expires_at end) as ended into r
      from sessions x
      where x.id = s_id[i] and owned(x.tenant, x.user_id, s_tenant[i], s_user[i]);
      refusals[i] := json_build_object('head', r.head, 'ended', r.ended, 'outcome',
        case when r.head is null then 'missing' when r.ended is not null then 'ended'
          when s_expected[i] <> r.head then 'conflict' else 'again' end);
    end loop;
    refused := array_to_json(refusals);
  end if;

  if written > 0 then
    if written < n or s_tenant[1] is distinct from s_tenant[n] then
      -- every session was looked at with its caller's eyes; now they are written together
      eyes := set_config('throughline.tenant', '*', true);
    end if;
    insert into session_events
      (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
    select s_id[e.session], before[e.session] + e.place, e.id, tenants[e.session], e.type, e.role, e.content, e.parts, e.agent,
      e.occurred, coalesce(e.at, s_at[e.session])
    from unnest(e_session, e_place, e_at, e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred)
      as e (session, place, at, id, type, role, content, parts, agent, occurred)
    where before[e.session] is not null;

    if cardinality(unmarked) > 0 then
      -- counted first, since behind row level security only a plain value is looked for in the index
      blocks := array(select (before[e.session] + e.place) / 256 from unnest(e_session, e_place) as e (session, place));
      insert into session_types (session_id, tenant, type, block)
      select distinct s_id[e.session], tenants[e.session], e.type, e.block
      from unnest(e_session, e_type, blocks) as e (session, type, block)
      where e.session = any (unmarked) and not exists (
        select from session_types x where x.session_id = s_id[e.session] and x.type = e.type and x.block = e.block
      )
      on conflict do nothing;
      ids := array(select s_id[i] from unnest(unmarked) as i where s_type[i] is not null);
      update sessions x
      set marked = case when starts_with(x.marked, x.head / 256 || ' ') then x.marked else x.head / 256 || ' ' end
        || s_type[array_position(s_id, x.id)] || ' '
      where x.id = any (ids) and (length(x.marked) < 400 or not starts_with(x.marked, x.head / 256 || ' '));
    end if;

    if cardinality(k_session) > 0 then
      insert into session_keys (session_id, tenant, key, fingerprint, first_sequence, last_sequence)
      select s_id[k.session], tenants[k.session], k.key, k.fingerprint, before[k.session] + k.place,
        before[k.session] + k.place + k.count - 1
      from unnest(k_session, k_key, k_fingerprint, k_place, k_count) as k (session, key, fingerprint, place, count)
      where before[k.session] is not null;
    end if;
  end if;

  heads := array_to_json(before);
  if cardinality(keys) > 0 then
    known := array_to_json(keys);
  end if;
end $$;

-- All views of one session as the text of one JSON object, for those who only look; without the envelope if it is not asked for. A
-- row of forty columns costs whoever gets it twice as much. Null: there is no such session.
create function context.read_session(p_session uuid, p_tenant text, p_user text, p_envelope boolean) returns text
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  eyes text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  if p_envelope then
    return (
      select row_to_json(v) from session_views v where v.id = p_session and owned(v.tenant, v.user_id, p_tenant, p_user)
    );
  end if;
  return (
    select row_to_json(v)
    from (
      select s.*, st.scratchpad, st.version, st.updated_at
      from sessions s
      join session_state st on st.session_id = s.id
      where s.id = p_session and owned(s.tenant, s.user_id, p_tenant, p_user)
    ) v
  );
end $$;

-- The views as the callers give them, taken apart once: to ask the text for each field reads all of it each time.
create type context.given_view as (
  tenant text, "userId" text, "conversationId" text, chatmode text, workflow text, skill text, "gitBranch" text, task text,
  status json, "activeAgent" text, head integer, turns integer, "clearedAt" integer, "startedAt" timestamptz,
  "lastActivityAt" timestamptz, "endedAt" timestamptz, "expiresAt" timestamptz, metadata json, "forkedFrom" json,
  "lastWork" text, commit json, "awaitsCommit" boolean, "envelopeAt" integer, scratchpad json, version integer,
  "updatedAt" timestamptz
);

-- Writes the parts of the views that decisions own, and where it is given how far the log has come: the head, turns to add, where
-- messages were cleared, the last activity, the envelope; p_versions are added to those of decisions. What ends a session frees its scope.
create function context.write_views(
  p_session uuid, v context.given_view, p_head integer, p_turns integer, p_cleared integer, p_active timestamptz,
  p_envelope_at integer, p_versions integer
)
returns void
language plpgsql as $$
begin
  update sessions x
  set conversation_id = v."conversationId", chatmode = v.chatmode, workflow = v.workflow, skill = v.skill,
      git_branch = v."gitBranch", task = v.task, state = v.status ->> 'state', status = v.status,
      active_agent = v."activeAgent", started_at = v."startedAt", ended_at = v."endedAt", expires_at = v."expiresAt",
      metadata = v.metadata, forked_from = v."forkedFrom", last_work = v."lastWork", commit_id = v.commit ->> 'id',
      commit_position = (v.commit ->> 'position')::integer, awaits_commit = coalesce(v."awaitsCommit", false),
      head = coalesce(p_head, x.head), turns = x.turns + p_turns, cleared_at = coalesce(p_cleared, x.cleared_at),
      last_activity_at = coalesce(p_active, x.last_activity_at),
      activity_minute = coalesce(extract(epoch from p_active)::bigint / 60, x.activity_minute),
      envelope_at = coalesce(p_envelope_at, x.envelope_at), decision_version = x.decision_version + p_versions
  where x.id = p_session;
  update session_state x
  set scratchpad = v.scratchpad, version = v.version, updated_at = v."updatedAt"
  where x.session_id = p_session;
  if v."endedAt" is not null then
    delete from session_slots x where x.session_id = p_session;
  end if;
end $$;

create or replace function context.write_view(p_session uuid, p_view json) returns void
language plpgsql as $$
begin
  perform write_views(p_session, json_populate_record(null::context.given_view, p_view), null, 0, null, null, null, 0);
end $$;

-- As before, with each row written once.
create or replace function context.insert_session(p_session uuid, p_view json) returns void
language plpgsql as $$
declare
  v context.given_view := json_populate_record(null::context.given_view, p_view);
begin
  insert into sessions (
    id, tenant, user_id, conversation_id, chatmode, workflow, skill, git_branch, task, state, status, active_agent, head,
    turns, cleared_at, envelope_at, started_at, last_activity_at, activity_minute, ended_at, expires_at, metadata,
    forked_from, last_work, commit_id, commit_position, awaits_commit
  ) values (
    p_session, v.tenant, v."userId", v."conversationId", v.chatmode, v.workflow, v.skill, v."gitBranch", v.task,
    v.status ->> 'state', v.status, v."activeAgent", v.head, v.turns, v."clearedAt", v."envelopeAt", v."startedAt",
    v."lastActivityAt", extract(epoch from v."lastActivityAt")::bigint / 60, v."endedAt", v."expiresAt", v.metadata,
    v."forkedFrom", v."lastWork", v.commit ->> 'id', (v.commit ->> 'position')::integer, coalesce(v."awaitsCommit", false)
  );
  insert into session_state (session_id, tenant, scratchpad, version, updated_at)
  values (p_session, v.tenant, v.scratchpad, v.version, v."updatedAt");
  if v."endedAt" is null then
    insert into session_slots (tenant, user_id, chatmode, conversation_id, session_id)
    values (v.tenant, v."userId", v.chatmode, v."conversationId", p_session);
  end if;
  perform write_envelope(p_session, v.tenant, v."envelopeAt", p_view);
end $$;

-- As before; a single event goes in without arrays.
create or replace function context.insert_events(
  p_session uuid, p_tenant text, p_head integer, p_at timestamptz, p_key text, p_fingerprint text,
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[]
)
returns void
language plpgsql as $$
begin
  if cardinality(e_id) = 1 then
    insert into session_events
      (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
    values (p_session, p_head + 1, e_id[1], p_tenant, e_type[1], e_role[1], e_content[1], e_parts[1], e_agent[1],
      e_occurred[1], p_at);
    insert into session_types (session_id, tenant, type, block)
    values (p_session, p_tenant, e_type[1], (p_head + 1) / 256)
    on conflict do nothing;
  else
    insert into session_events
      (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
    select p_session, p_head + e.n, e.id, p_tenant, e.type, e.role, e.content, e.parts, e.agent, e.occurred, p_at
    from unnest(e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred)
      with ordinality as e (id, type, role, content, parts, agent, occurred, n);

    insert into session_types (session_id, tenant, type, block)
    select distinct p_session, p_tenant, e.type, ((p_head + e.n) / 256)::integer
    from unnest(e_type) with ordinality as e (type, n)
    on conflict do nothing;
  end if;

  if p_key is not null then
    insert into session_keys (session_id, tenant, key, fingerprint, first_sequence, last_sequence)
    values (p_session, p_tenant, p_key, p_fingerprint, p_head + 1, p_head + cardinality(e_id));
  end if;
end $$;

-- As before, with the head and the views in one statement.
create or replace function context.decide_session(
  p_session uuid, p_tenant text, p_user text, p_version integer, p_turns integer, p_at timestamptz, p_key text,
  p_fingerprint text, p_view json, p_clears boolean, p_envelope_place integer,
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[],
  g_from text[], g_label text[], g_to text[], g_place integer[], g_evidence text[]
)
returns table (outcome text, first_sequence integer, last_sequence integer)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v context.given_view := json_populate_record(null::context.given_view, p_view);
  v_commit text := v.commit ->> 'id';
  v_active timestamptz := p_at;
  s record;
begin
  if v_commit is not null then
    perform lock_conversation(v.tenant, v."conversationId");
  end if;
  perform set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
  select x.tenant, x.user_id, x.head, x.decision_version, x.commit_id, x.ended_at, x.last_activity_at into s
  from sessions x
  where x.id = p_session
  for update;
  if s.head is null or not owned(s.tenant, s.user_id, p_tenant, p_user) then
    outcome := 'missing';
  elsif s.decision_version <> p_version
    -- whoever ends a session has seen all of it: somebody may have spoken up in this very moment
    or (s.ended_at is null and v."endedAt" is not null and v.head <> s.head + cardinality(e_id))
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
      values (s.tenant, v."conversationId", (v.commit ->> 'position')::integer, v_commit, p_session, s.user_id, p_at);
    end if;
    if p_envelope_place is not null then
      perform write_envelope(p_session, s.tenant, s.head + p_envelope_place, p_view);
    end if;
    perform write_views(p_session, v, last_sequence, p_turns, case when p_clears then last_sequence end, v_active,
      s.head + p_envelope_place, 1);
  end if;
  return next;
end $$;

do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as signature, p.proname as name
    from pg_proc p
    where p.pronamespace = 'context'::regnamespace and p.proname in ('append_event', 'append_events', 'read_session', 'write_views')
  loop
    execute format('revoke all on function %s from public', f.signature);
    execute format('alter function %s owner to throughline_functions', f.signature);
    -- what only other functions call stays with their owners
    if f.name <> 'write_views' then
      execute format('grant execute on function %s to throughline_app', f.signature);
    end if;
  end loop;
end $$;
revoke create on schema context from throughline_functions;
