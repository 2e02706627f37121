-- Fewer statements and expressions for an append and for a new session: each is made ready anew in every transaction.
grant create on schema context to throughline_functions;
drop function context.create_session(
  uuid, text, boolean, timestamptz, json, uuid, text, text, text, json, text, text
);

-- As before; whether the type is marked is asked by the statement that moves the head. An expression of the function itself is made ready anew in
-- each transaction, which took a tenth of the call.
create or replace function context.append_event(
  p_session uuid, p_tenant text, p_user text, p_turns integer, p_at timestamptz,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text
)
returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  reached integer;
  v_tenant text;
  -- what the session knows of its marks, null if the type is among them
  v_marked text;
  -- an assignment costs less than a statement
  eyes text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  update sessions x
  set head = x.head + 1, turns = x.turns + p_turns, last_activity_at = p_at,
      activity_minute = extract(epoch from p_at)::bigint / 60
  where x.id = p_session and owned(x.tenant, x.user_id, p_tenant, p_user) and x.ended_at is null
    and (x.expires_at is null or x.expires_at > p_at)
  returning x.head, x.tenant,
    case when starts_with(x.marked, x.head / 256 || ' ') and strpos(x.marked, ' ' || e_type || ' ') > 0 then null else x.marked end
  into reached, v_tenant, v_marked;
  if reached is null then
    return null;
  end if;
  insert into session_events
    (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
  values (p_session, reached, e_id, v_tenant, e_type, e_role, e_content, e_parts, e_agent, e_occurred, p_at);
  if v_marked is not null then
    perform mark_type(p_session, v_tenant, e_type, reached, v_marked);
  end if;
  return reached;
end $$;

-- As before, in the same way.
create or replace function context.change_state(
  p_session uuid, p_tenant text, p_user text, p_version integer, p_turns integer, p_at timestamptz, p_started timestamptz,
  s_scratchpad json, s_version integer, s_updated timestamptz,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text
)
returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  reached integer;
  v_tenant text;
  -- what the session knows of its marks, null if the type is among them
  v_marked text;
  eyes text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  update sessions x
  set head = x.head + 1, turns = x.turns + p_turns, last_activity_at = p_at,
      activity_minute = extract(epoch from p_at)::bigint / 60, decision_version = x.decision_version + 1
  where x.id = p_session and owned(x.tenant, x.user_id, p_tenant, p_user) and x.decision_version = p_version
    and x.started_at = p_started
  returning x.head, x.tenant,
    case when starts_with(x.marked, x.head / 256 || ' ') and strpos(x.marked, ' ' || e_type || ' ') > 0 then null else x.marked end
  into reached, v_tenant, v_marked;
  if reached is null then
    return null;
  end if;
  update session_state x
  set scratchpad = s_scratchpad, version = s_version, updated_at = s_updated
  where x.session_id = p_session;
  insert into session_events
    (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
  values (p_session, reached, e_id, v_tenant, e_type, e_role, e_content, e_parts, e_agent, e_occurred, p_at);
  if v_marked is not null then
    perform mark_type(p_session, v_tenant, e_type, reached, v_marked);
  end if;
  return reached;
end $$;

-- The session that is asked for, or the one that is there in its place: see the port. What is written at the same moment with the same id in
-- another scope breaks the call as a whole (23505), and it is asked again: to catch that here would cost each call a tenth. Views come column
-- by column, since to take them from JSON took as long as to write a row, and are written by one statement. What a log of one event cannot have,
-- an end or a commit, is not asked for; n_subject null: no envelope is kept.
create function context.create_session(
  p_session uuid, p_reuse text, p_even_paused boolean, p_at timestamptz,
  v_tenant text, v_user text, v_conversation text, v_chatmode text, v_workflow text, v_skill text, v_branch text, v_task text,
  v_state text, v_status json, v_agent text, v_turns integer, v_expires timestamptz, v_metadata json,
  v_scratchpad json, v_version integer,
  n_persona text, n_subject text, n_issuer text, n_scope text, n_metadata json, n_analysis json, n_created timestamptz,
  n_updated timestamptz, n_batch text,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text,
  out outcome text, out session_id uuid
)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_blocking uuid;
  v_paused text;
  eyes text := set_config('throughline.tenant', '*', true);
begin
  perform pg_advisory_xact_lock(hashtextextended(json_build_array(v_tenant, v_user, v_chatmode)::text, 4747)),
    case when not p_even_paused then pg_advisory_xact_lock_shared(474700002) end;
  -- after the locks: what others did before them is seen
  select
    case when exists (select from sessions x where x.id = p_session) then 'same-id'
      when exists (select from session_imports x where x.session_id = p_session) then 'coming' end,
    (select x.session_id from session_slots x
      where x.tenant = v_tenant and x.user_id = v_user and x.chatmode = v_chatmode and x.conversation_id = v_conversation),
    (select x.value from settings x where x.name = 'intake-paused-since')
  into outcome, v_blocking, v_paused;
  session_id := p_session;
  if outcome is not null then
    return;
  end if;
  eyes := set_config('throughline.tenant', v_tenant, true);
  if p_reuse <> 'none' then
    session_id := find_active(v_tenant, v_user, v_chatmode, case p_reuse when 'conversation' then v_conversation end, p_at);
    if session_id is not null then
      outcome := 'found';
      return;
    end if;
    session_id := p_session;
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
  with session as (
    insert into sessions (
      id, tenant, user_id, conversation_id, chatmode, workflow, skill, git_branch, task, state, status, active_agent, head,
      turns, cleared_at, envelope_at, started_at, last_activity_at, activity_minute, expires_at, metadata, marked
    ) values (
      p_session, v_tenant, v_user, v_conversation, v_chatmode, v_workflow, v_skill, v_branch, v_task, v_state, v_status,
      v_agent, 1, v_turns, 0, 1, p_at, p_at, extract(epoch from p_at)::bigint / 60, v_expires, v_metadata,
      '0 ' || e_type || ' '
    )
  ), state as (
    insert into session_state (session_id, tenant, scratchpad, version, updated_at)
    values (p_session, v_tenant, v_scratchpad, v_version, p_at)
  ), slot as (
    insert into session_slots (tenant, user_id, chatmode, conversation_id, session_id)
    values (v_tenant, v_user, v_chatmode, v_conversation, p_session)
  ), envelope as (
    insert into session_envelopes (
      session_id, persona_id, tenant, subject, issuer, scope, metadata, analysis, created_at, updated_at, batch, sequence
    )
    select p_session, n_persona, v_tenant, n_subject, n_issuer, n_scope, n_metadata, n_analysis, n_created, n_updated, n_batch, 1
    where n_subject is not null
  ), mark as (
    insert into session_types (session_id, tenant, type, block) values (p_session, v_tenant, e_type, 0)
  )
  insert into session_events
    (session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at)
  values (p_session, 1, e_id, v_tenant, e_type, e_role, e_content, e_parts, e_agent, e_occurred, p_at);
end $$;

do $$
declare
  f regprocedure;
begin
  select p.oid into f from pg_proc p where p.pronamespace = 'context'::regnamespace and p.proname = 'create_session';
  execute format('revoke all on function %s from public', f);
  execute format('alter function %s owner to throughline_functions', f);
  execute format('grant execute on function %s to throughline_app', f);
end $$;
revoke create on schema context from throughline_functions;
