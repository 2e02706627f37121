-- Short ways for what is called most: a look at the record or the scratchpad alone, a window, a new session, a change of the scratchpad.
grant create on schema context to throughline_functions;
drop function context.read_session(uuid, text, text, boolean);
drop function context.load_session(uuid, text, text, text, boolean, boolean);
drop function context.create_session(
  uuid, text, boolean, timestamptz, json, uuid, text, text, text, json, text, text
);

-- All views of one session as the text of one JSON object, for those who only look. A row of forty columns costs whoever gets it
-- twice as much. Null: there is no such session.
create function context.read_session(p_session uuid, p_tenant text, p_user text) returns text
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  eyes text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  return (
    select row_to_json(v) from session_views v where v.id = p_session and owned(v.tenant, v.user_id, p_tenant, p_user)
  );
end $$;

-- The same of the record alone.
create function context.read_record(p_session uuid, p_tenant text, p_user text) returns text
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  eyes text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  return (
    select row_to_json(r)
    from (
      select x.id, x.tenant, x.user_id, x.conversation_id, x.chatmode, x.workflow, x.skill, x.git_branch, x.task, x.status,
        x.active_agent, x.head, x.turns, x.started_at, x.last_activity_at, x.ended_at, x.expires_at, x.metadata, x.forked_from
      from sessions x
      where x.id = p_session and owned(x.tenant, x.user_id, p_tenant, p_user)
    ) r
  );
end $$;

-- The same of the scratchpad alone. Whose it is stands with its session, which is asked only where one user is meant.
create function context.read_state(p_session uuid, p_tenant text, p_user text) returns text
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  eyes text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  return (
    select row_to_json(r)
    from (
      select x.scratchpad, x.version, x.updated_at
      from session_state x
      where x.session_id = p_session and (p_tenant is null or x.tenant = p_tenant)
        and (p_user is null or exists (select from sessions s where s.id = p_session and s.user_id = p_user))
    ) r
  );
end $$;

-- All views of one session as JSON, what its idempotency key wrote, and with p_chained the last commit of its conversation. p_lock: until the
-- end of the transaction no other decision or append comes in between. view null: there is no such session.
create function context.load_session(
  p_session uuid, p_tenant text, p_user text, p_key text, p_lock boolean, p_chained boolean,
  out view text, out fingerprint text, out first_sequence integer, out last_sequence integer, out last_commit json
)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  eyes text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  if p_lock then
    if p_chained then
      perform lock_conversation(s.tenant, s.conversation_id) from sessions s where s.id = p_session;
    end if;
    perform 1 from sessions s where s.id = p_session for update;
  end if;
  view := (
    select row_to_json(v) from session_views v where v.id = p_session and owned(v.tenant, v.user_id, p_tenant, p_user)
  );
  if view is null then
    return;
  end if;
  if p_key is not null then
    select k.fingerprint, k.first_sequence, k.last_sequence into fingerprint, first_sequence, last_sequence
    from session_keys k
    where k.session_id = p_session and k.key = p_key;
  end if;
  if p_chained then
    last_commit := (
      select row_to_json(c)
      from sessions s
      join conversation_commits c on c.tenant = s.tenant and c.conversation_id = s.conversation_id
      where s.id = p_session
      order by c.position desc
      limit 1
    );
  end if;
end $$;

-- Marks a type in the block of a sequence. p_marked is what the session knows of its marks.
create function context.mark_type(p_session uuid, p_tenant text, p_type text, p_sequence integer, p_marked text) returns void
language plpgsql as $$
declare
  v_block text := p_sequence / 256 || ' ';
begin
  insert into session_types (session_id, tenant, type, block)
  values (p_session, p_tenant, p_type, p_sequence / 256)
  on conflict do nothing;
  update sessions x
  set marked = case when starts_with(p_marked, v_block) then p_marked else v_block end || p_type || ' '
  where x.id = p_session and (length(p_marked) < 400 or not starts_with(p_marked, v_block));
end $$;

-- As before; the marks are another's work.
create or replace function context.append_event(
  p_session uuid, p_tenant text, p_user text, p_turns integer, p_at timestamptz,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text
)
returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  reached integer;
  v_tenant text;
  v_marked text;
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
  if not starts_with(v_marked, reached / 256 || ' ') or strpos(v_marked, ' ' || e_type || ' ') = 0 then
    perform mark_type(p_session, v_tenant, e_type, reached, v_marked);
  end if;
  return reached;
end $$;

-- A decision that came to one event without a key, and changes nothing but the scratchpad and the counters. What it was decided on may be
-- old: p_started tells a session from one that had the same id before it. Gives its sequence; null: nothing was written, and
-- decide_session says why.
create function context.change_state(
  p_session uuid, p_tenant text, p_user text, p_version integer, p_turns integer, p_at timestamptz, p_started timestamptz,
  s_scratchpad json, s_version integer, s_updated timestamptz,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text
)
returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  reached integer;
  v_tenant text;
  v_marked text;
  eyes text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  update sessions x
  set head = x.head + 1, turns = x.turns + p_turns, last_activity_at = p_at,
      activity_minute = extract(epoch from p_at)::bigint / 60, decision_version = x.decision_version + 1
  where x.id = p_session and owned(x.tenant, x.user_id, p_tenant, p_user) and x.decision_version = p_version
    and x.started_at = p_started
  returning x.head, x.tenant, x.marked into reached, v_tenant, v_marked;
  if reached is null then
    return null;
  end if;
  update session_state x
  set scratchpad = s_scratchpad, version = s_version, updated_at = s_updated
  where x.session_id = p_session;
  insert into session_events
    (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
  values (p_session, reached, e_id, v_tenant, e_type, e_role, e_content, e_parts, e_agent, e_occurred, p_at);
  if not starts_with(v_marked, reached / 256 || ' ') or strpos(v_marked, ' ' || e_type || ' ') = 0 then
    perform mark_type(p_session, v_tenant, e_type, reached, v_marked);
  end if;
  return reached;
end $$;

-- The envelope within the views that callers give, taken apart with them.
create type context.given_times as (created_at timestamptz, updated_at timestamptz);
create type context.given_document as (
  persona_id text, subject text, issuer text, scope text, metadata json, analysis json, timestamps context.given_times
);
create type context.given_envelope as (document context.given_document, batch text);
alter type context.given_view add attribute envelope context.given_envelope;

create function context.write_envelope(p_session uuid, p_tenant text, p_sequence integer, e context.given_envelope) returns void
language plpgsql as $$
declare
  d context.given_document := e.document;
begin
  if d.subject is null then
    return;
  end if;
  insert into session_envelopes (
    session_id, persona_id, tenant, subject, issuer, scope, metadata, analysis, created_at, updated_at, batch, sequence
  ) values (
    p_session, d.persona_id, p_tenant, d.subject, d.issuer, d.scope, d.metadata, d.analysis, (d.timestamps).created_at,
    (d.timestamps).updated_at, e.batch, p_sequence
  )
  on conflict (session_id) do update
  set persona_id = excluded.persona_id, tenant = excluded.tenant, subject = excluded.subject, issuer = excluded.issuer,
      scope = excluded.scope, metadata = excluded.metadata, analysis = excluded.analysis,
      created_at = excluded.created_at, updated_at = excluded.updated_at, batch = excluded.batch,
      sequence = excluded.sequence;
end $$;

create or replace function context.write_envelope(p_session uuid, p_tenant text, p_sequence integer, p_view json) returns void
language plpgsql as $$
begin
  perform write_envelope(
    p_session, p_tenant, p_sequence, json_populate_record(null::context.given_envelope, p_view -> 'envelope')
  );
end $$;

create function context.insert_session(p_session uuid, v context.given_view) returns void
language plpgsql as $$
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
  perform write_envelope(p_session, v.tenant, v."envelopeAt", v.envelope);
end $$;

create or replace function context.insert_session(p_session uuid, p_view json) returns void
language plpgsql as $$
begin
  perform insert_session(p_session, json_populate_record(null::context.given_view, p_view));
end $$;

-- The session that is asked for, or the one that is there in its place: see the port. What is written at the same moment with the same id in
-- another scope breaks the call as a whole (23505), and it is asked again: to catch that here would cost each call a tenth.
create function context.create_session(
  p_session uuid, p_reuse text, p_even_paused boolean, p_at timestamptz, p_view json,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text,
  out outcome text, out session_id uuid
)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v context.given_view := json_populate_record(null::context.given_view, p_view);
  v_other uuid;
  v_blocking uuid;
  v_paused text;
  eyes text := set_config('throughline.tenant', '*', true);
begin
  perform pg_advisory_xact_lock(hashtextextended(json_build_array(v.tenant, v."userId", v.chatmode)::text, 4747));
  if not p_even_paused then
    perform pg_advisory_xact_lock_shared(474700002);
  end if;
  -- after the locks: what others did before them is seen
  select
    case when exists (select from sessions x where x.id = p_session) then 'same-id'
      when exists (select from session_imports x where x.session_id = p_session) then 'coming' end,
    (select x.session_id from session_slots x
      where x.tenant = v.tenant and x.user_id = v."userId" and x.chatmode = v.chatmode
        and x.conversation_id = v."conversationId"),
    (select x.value from settings x where x.name = 'intake-paused-since')
  into outcome, v_blocking, v_paused;
  session_id := p_session;
  if outcome is not null then
    return;
  end if;
  eyes := set_config('throughline.tenant', v.tenant, true);
  if p_reuse <> 'none' then
    v_other := find_active(
      v.tenant, v."userId", v.chatmode, case p_reuse when 'conversation' then v."conversationId" end, p_at
    );
    if v_other is not null then
      outcome := 'found';
      session_id := v_other;
      return;
    end if;
  end if;
  if v_blocking is not null then
    outcome := 'blocked';
    session_id := v_blocking;
    return;
  end if;
  if v_paused is not null and not p_even_paused then
    raise exception using errcode = 'TL003', message = 'no new sessions are taken', detail = v_paused;
  end if;
  outcome := 'created';
  perform insert_session(p_session, v);
  insert into session_events
    (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
  values (p_session, 1, e_id, v.tenant, e_type, e_role, e_content, e_parts, e_agent, e_occurred, p_at);
  insert into session_types (session_id, tenant, type, block) values (p_session, v.tenant, e_type, 0);
end $$;

-- As before; a window is found first and then read as a whole, which costs less than to look at each of its events on the way. Stable: all
-- of it is of one moment.
create or replace function context.read_events(
  p_session uuid, p_tenant text, p_user text, p_after integer, p_before integer, p_newest_first boolean, p_limit integer,
  p_types text[], p_turns integer
)
returns setof context.event_row
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  s record;
  r event_row;
  b integer;
  low integer := p_after;
  given integer := 0;
  eyes text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
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
      low := coalesce(
        (
          select e.sequence - 1
          from (
            select x.sequence, x.type
            from session_events x
            where x.session_id = p_session and x.sequence > low and x.sequence < p_before
            order by x.sequence desc
            limit p_limit
          ) e
          where e.type = 'user_message'
          order by e.sequence desc
          offset p_turns - 1
          limit 1
        ),
        low
      );
    end if;
    return query
      select x.sequence, x.id, x.type, x.role, x.content, x.parts::text, x.agent_id, x.occurred_at, x.created_at
      from session_events x
      where x.session_id = p_session and x.sequence > low and x.sequence < p_before
      order by x.sequence desc
      limit p_limit;
  else
    return query
      select x.sequence, x.id, x.type, x.role, x.content, x.parts::text, x.agent_id, x.occurred_at, x.created_at
      from session_events x
      where x.session_id = p_session and x.sequence > p_after and x.sequence < p_before
      order by x.sequence
      limit p_limit;
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
      and p.proname in ('read_session', 'read_record', 'read_state', 'load_session', 'mark_type', 'change_state',
        'write_envelope', 'insert_session', 'create_session')
  loop
    execute format('revoke all on function %s from public', f.signature);
    execute format('alter function %s owner to throughline_functions', f.signature);
    -- what only other functions call stays with their owners
    if f.name not in ('mark_type', 'write_envelope', 'insert_session') then
      execute format('grant execute on function %s to throughline_app', f.signature);
    end if;
  end loop;
end $$;
revoke create on schema context from throughline_functions;
