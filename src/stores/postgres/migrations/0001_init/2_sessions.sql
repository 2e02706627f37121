-- Sessions: creating, reading, deciding, listing, purging. Each function that the application calls first sets the
-- tenant that row level security checks; p_tenant null is the operator. SQLSTATE TL001: there is no such session in the
-- partition.
--
-- A call for all users takes any partition of a group (see partition_groups) and reads what is on its node.

-- The views as callers pass them. Parsing them once costs less than reading each field from the JSON text.
create type context.input_times as (created_at timestamptz, updated_at timestamptz);
create type context.input_document as (
  persona_id text, subject text, issuer text, scope text, metadata json, analysis json, timestamps context.input_times
);
create type context.input_envelope as (document context.input_document, batch text);
create type context.input_view as (
  tenant text, "userId" text, "conversationId" text, chatmode text, workflow text, skill text, "gitBranch" text, task text,
  status json, "activeAgent" text, head integer, turns integer, "clearedAt" integer, "startedAt" timestamptz,
  "lastActivityAt" timestamptz, "endedAt" timestamptz, "expiresAt" timestamptz, metadata json, "forkedFrom" json,
  parent json, labels text[], usage bigint[], run json, "leaseUntil" timestamptz, "dueAt" timestamptz, requests json,
  "requestsAt" timestamptz, hidden integer[], "addedUsage" json,
  "lastWork" text, commit json, "awaitsCommit" boolean, "envelopeAt" integer, scratchpad json, version integer,
  "updatedAt" timestamptz, envelope context.input_envelope
);

-- Sets the tenant that row level security checks; null is the operator. Hot functions assign set_config to a variable
-- instead, because an assignment costs less than a statement.
create function context.set_tenant(p_tenant text) returns void
language plpgsql as $$
begin
  perform set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
end $$;

-- Whether a caller limited to p_tenant and p_user may use a row; null means unlimited.
create function context.can_access(s_tenant text, s_user text, p_tenant text, p_user text) returns boolean
language sql immutable as $$
  select (p_tenant is null or s_tenant = p_tenant) and (p_user is null or s_user = p_user)
$$;

-- Claims an id that a caller chose, for a session in p_home; p_partition is the one that the id points to. home is the
-- partition that has the id: p_home, if the claim succeeded. new_claim is set if there was no claim. A claim of p_from
-- without a session can be taken over once it is not recent, after a minute: creating a session takes less, or fails.
create function context.claim_session_id(
  p_partition smallint, p_session uuid, p_home smallint, p_from smallint,
  out home smallint, out is_recent boolean, out new_claim timestamptz
)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_now timestamptz := clock_timestamp();
  v_tenant_scope text := set_config('throughline.tenant', '*', true);
begin
  if p_home <> p_partition and session_exists(p_partition, p_session) is not null then
    home := p_partition;
    is_recent := true;
    return;
  end if;
  insert into session_directory (partition, id, home, claimed_at)
  values (p_partition, p_session, p_home, v_now)
  on conflict do nothing
  returning p_home, claimed_at into home, new_claim;
  if home is null then
    update session_directory x
    set home = p_home, claimed_at = v_now
    where x.partition = p_partition and x.id = p_session
      and (x.home = p_home or (x.home = p_from and x.claimed_at < v_now - interval '1 minute'))
    returning p_home into home;
  end if;
  if home is null then
    select x.home, x.claimed_at >= v_now - interval '1 minute' into home, is_recent
    from session_directory x
    where x.partition = p_partition and x.id = p_session;
  end if;
end $$;

-- Whether an id is used in the partition: by a session, an import, or null.
create function context.session_exists(p_partition smallint, p_session uuid) returns text
language plpgsql stable security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_tenant_scope text := set_config('throughline.tenant', '*', true);
begin
  return case
    when exists (select 1 from sessions x where x.partition = p_partition and x.id = p_session) then 'session'
    when exists (select 1 from session_imports x where x.partition = p_partition and x.session_id = p_session) then 'import'
  end;
end $$;

-- Finds the partition of a session whose id points to p_partition, where it is not. No row: there is no such session.
create function context.find_session_id(p_partition smallint, p_session uuid)
returns table (home smallint, claimed_at timestamptz)
language plpgsql stable security definer set search_path = context, pg_temp set jit = off as $$
begin
  return query
    select x.home, x.claimed_at from session_directory x where x.partition = p_partition and x.id = p_session;
end $$;

-- Frees an id after its session was purged, unless it was claimed again since p_claimed_at.
create function context.free_session_id(p_partition smallint, p_session uuid, p_claimed_at timestamptz) returns void
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  delete from session_directory x
  where x.partition = p_partition and x.id = p_session and x.claimed_at = p_claimed_at;
end $$;

-- Returns the newest session of the scope that has neither ended nor expired. p_conversation null: in any conversation,
-- but nobody's child.
create function context.find_active(
  p_partition smallint, p_tenant text, p_user text, p_chatmode text, p_conversation text, p_at timestamptz
)
returns uuid
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform set_tenant(p_tenant);
  if p_conversation is not null then
    return (
      select x.id
      from session_slots s
      join sessions x on x.partition = s.partition and x.id = s.session_id
      where s.partition = p_partition and s.tenant = p_tenant and s.user_id = p_user and s.chatmode = p_chatmode
        and s.conversation_id = p_conversation and (x.expires_at is null or x.expires_at > p_at)
    );
  end if;
  return (
    select x.id
    from sessions x
    where x.partition = p_partition and x.tenant = p_tenant and x.user_id = p_user and x.chatmode = p_chatmode
      and x.ended_at is null and x.parent_id is null
      and (x.expires_at is null or x.expires_at > p_at)
    order by x.started_at desc, x.id desc
    limit 1
  );
end $$;

-- Creates a session, or returns the one that exists in its place: see the port for the outcomes. If another scope
-- writes the same id at the same moment, the call fails (23505) and the caller retries: an exception block here cost
-- every call a tenth. Views come column by column, because parsing them from JSON took as long as writing a row, and
-- one statement writes them all. A log of one event has no end and no commit, so there are no parameters for them.
-- n_subject null: no envelope is stored. v_parent: the parent, which must be live; neither its end nor its purge gets
-- in between, but its appends do. More outcomes: no-parent, parent-ended.
create function context.create_session(
  p_partition smallint, p_session uuid, p_reuse text, p_ignore_pause boolean, p_at timestamptz, p_minute integer,
  v_tenant text, v_user text, v_conversation text, v_chatmode text, v_workflow text, v_skill text, v_branch text, v_task text,
  v_state text, v_status json, v_agent text, v_turns integer, v_expires timestamptz, v_metadata json,
  v_labels text[], v_parent uuid, v_parent_sequence integer, v_due timestamptz, v_scratchpad json, v_version integer,
  n_persona text, n_subject text, n_issuer text, n_scope text, n_metadata json, n_analysis json, n_created timestamptz,
  n_updated timestamptz, n_batch text,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text, e_checksum bytea,
  out outcome text, out session_id uuid
)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_blocking uuid;
  v_paused text;
  v_parent_ended boolean;
  v_tenant_scope text := set_config('throughline.tenant', '*', true);
begin
  perform pg_advisory_xact_lock(hashtextextended(json_build_array(v_tenant, v_user, v_chatmode)::text, 4747)),
    case when not p_ignore_pause then pg_advisory_xact_lock_shared(474700002) end;
  -- After the locks, so that it sees what earlier holders wrote.
  select
    case when exists (select 1 from sessions x where x.partition = p_partition and x.id = p_session) then 'same-id'
      when exists (select 1 from session_imports x where x.partition = p_partition and x.session_id = p_session)
        then 'importing' end,
    (select x.session_id from session_slots x
      where x.partition = p_partition and x.tenant = v_tenant and x.user_id = v_user and x.chatmode = v_chatmode
        and x.conversation_id = v_conversation),
    (select x.value from settings x where x.name = 'intake-paused-since')
  into outcome, v_blocking, v_paused;
  session_id := p_session;
  if outcome is not null then
    return;
  end if;
  v_tenant_scope := set_config('throughline.tenant', v_tenant, true);
  if v_parent is not null then
    select x.ended_at is not null or coalesce(x.expires_at <= p_at, false) into v_parent_ended
    from sessions x
    where x.partition = p_partition and x.id = v_parent and x.tenant = v_tenant and x.user_id = v_user
    for key share;
    if v_parent_ended is not false then
      outcome := case when v_parent_ended then 'parent-ended' else 'no-parent' end;
      return;
    end if;
  end if;
  if p_reuse <> 'none' then
    session_id := find_active(
      p_partition, v_tenant, v_user, v_chatmode, case p_reuse when 'conversation' then v_conversation end, p_at);
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
  if v_paused is not null and not p_ignore_pause then
    raise exception using errcode = 'TL003', message = 'the intake of sessions is paused', detail = v_paused;
  end if;
  outcome := 'created';
  with session as (
    insert into sessions (
      partition, id, tenant, user_id, conversation_id, chatmode, workflow, skill, git_branch, task, state, status, active_agent, head,
      turns, bytes, cleared_at, envelope_at, started_at, last_activity_at, due_at, activity_minute, expires_at, metadata,
      marked_types, parent_id, parent_sequence
    ) values (
      p_partition, p_session, v_tenant, v_user, v_conversation, v_chatmode, v_workflow, v_skill, v_branch, v_task, v_state, v_status,
      v_agent, 1, v_turns, event_bytes(e_content, e_parts), 0, 1, p_at, p_at, v_due, p_minute, v_expires, v_metadata,
      '0 ' || e_type || ' ', v_parent, v_parent_sequence
    )
  ), label as (
    insert into session_labels (partition, session_id, label, tenant, user_id)
    select p_partition, p_session, l.label, v_tenant, v_user
    from unnest(v_labels) as l (label)
  ), state as (
    insert into session_state (partition, session_id, tenant, scratchpad, version, updated_at)
    values (p_partition, p_session, v_tenant, v_scratchpad, v_version, p_at)
  ), slot as (
    insert into session_slots (partition, tenant, user_id, chatmode, conversation_id, session_id)
    values (p_partition, v_tenant, v_user, v_chatmode, v_conversation, p_session)
  ), envelope as (
    insert into session_envelopes (
      partition, session_id, persona_id, tenant, subject, issuer, scope, metadata, analysis, created_at, updated_at, batch, sequence
    )
    select p_partition, p_session, n_persona, v_tenant, n_subject, n_issuer, n_scope, n_metadata, n_analysis, n_created,
      n_updated, n_batch, 1
    where n_subject is not null
  ), mark as (
    insert into session_types (partition, session_id, tenant, type, block) values (p_partition, p_session, v_tenant, e_type, 0)
  )
  insert into session_events
    (partition, session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at, checksum)
  values (p_partition, p_session, 1, e_id, v_tenant, e_type, e_role, e_content, e_parts, e_agent, e_occurred, p_at,
    e_checksum);
end $$;

-- Replaces the labels of a session.
create function context.write_labels(p_partition smallint, p_session uuid, v context.input_view) returns void
language plpgsql as $$
begin
  delete from session_labels x
  where x.partition = p_partition and x.session_id = p_session and not (x.label = any (v.labels));
  insert into session_labels (partition, session_id, label, tenant, user_id)
  select p_partition, p_session, l.label, v.tenant, v."userId"
  from unnest(v.labels) as l (label)
  on conflict do nothing;
end $$;

-- The generation of the live run in sessions.run; null: there is none.
create function context.generation_of(p_run json) returns integer
language sql immutable parallel safe as $$
  select (p_run -> 'live' ->> 'generation')::integer
$$;

-- Of sessions.run what the record shows: the live run alone.
create function context.live_run(p_run json) returns json
language sql immutable parallel safe as $$
  select case when p_run -> 'live' is not null then json_build_object('live', p_run -> 'live') end
$$;

-- Inserts the rows of a new session, with the bytes of its log, and takes its scope.
create function context.insert_session(p_partition smallint, p_session uuid, v context.input_view, p_bytes bigint)
returns void
language plpgsql as $$
begin
  insert into sessions (
    partition, id, tenant, user_id, conversation_id, chatmode, workflow, skill, git_branch, task, state, status, active_agent, head,
    turns, bytes, cleared_at, envelope_at, started_at, last_activity_at, due_at, lease_until, requests_at, activity_minute,
    run_generation, ended_at, expires_at, metadata, forked_from, last_work, commit_id, commit_position, awaits_commit,
    parent_id, parent_sequence, usage, run, requests, hidden
  ) values (
    p_partition, p_session, v.tenant, v."userId", v."conversationId", v.chatmode, v.workflow, v.skill, v."gitBranch", v.task,
    v.status ->> 'state', v.status, v."activeAgent", v.head, v.turns, p_bytes, v."clearedAt", v."envelopeAt", v."startedAt",
    v."lastActivityAt", v."dueAt", v."leaseUntil", v."requestsAt", minute_of(v."lastActivityAt"),
    generation_of(v.run), v."endedAt", v."expiresAt", v.metadata,
    v."forkedFrom", v."lastWork", v.commit ->> 'id', (v.commit ->> 'position')::integer, coalesce(v."awaitsCommit", false), (v.parent ->> 'sessionId')::uuid,
    (v.parent ->> 'sequence')::integer, v.usage, v.run, v.requests, v.hidden
  );
  perform write_labels(p_partition, p_session, v);
  insert into session_state (partition, session_id, tenant, scratchpad, version, updated_at)
  values (p_partition, p_session, v.tenant, v.scratchpad, v.version, v."updatedAt");
  if v."endedAt" is null then
    insert into session_slots (partition, tenant, user_id, chatmode, conversation_id, session_id)
    values (p_partition, v.tenant, v."userId", v.chatmode, v."conversationId", p_session);
  end if;
  perform write_envelope(p_partition, p_session, v.tenant, v."envelopeAt", v.envelope);
end $$;

create function context.insert_session(p_partition smallint, p_session uuid, p_view json, p_bytes bigint) returns void
language plpgsql as $$
begin
  perform insert_session(p_partition, p_session, json_populate_record(null::context.input_view, p_view), p_bytes);
end $$;

-- Copies the log of p_source up to p_sequence under new event ids and appends one event. Both sessions have one owner,
-- so they are in one partition. Outcomes: created, same-id, importing (an import uses the id). The intake must be open.
create function context.fork_session(
  p_partition smallint, p_source uuid, p_tenant text, p_user text, p_sequence integer, p_session uuid, p_at timestamptz,
  p_view json,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text, e_checksum bytea
)
returns text
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  s record;
begin
  perform set_tenant(null);
  if exists (select 1 from sessions x where x.partition = p_partition and x.id = p_session) then
    return 'same-id';
  end if;
  if exists (select 1 from session_imports x where x.partition = p_partition and x.session_id = p_session) then
    return 'importing';
  end if;
  perform set_tenant(p_tenant);
  select x.head, x.bytes into s
  from sessions x
  where x.partition = p_partition and x.id = p_source and can_access(x.tenant, x.user_id, p_tenant, p_user);
  if s.head is null then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  perform check_intake();
  if s.head <> p_sequence then
    select sum(event_bytes(x.content, x.parts)) into s.bytes
    from session_events x
    where x.partition = p_partition and x.session_id = p_source and x.sequence <= p_sequence;
  end if;
  perform insert_session(p_partition, p_session, p_view, s.bytes + event_bytes(e_content, e_parts));
  insert into session_events
    (partition, session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at, checksum)
  select p_partition, p_session, x.sequence, gen_random_uuid(), x.tenant, x.type, x.role, x.content, x.parts, x.agent_id, x.occurred_at,
    x.created_at, x.checksum
  from session_events x
  where x.partition = p_partition and x.session_id = p_source and x.sequence <= p_sequence;
  insert into session_types (partition, session_id, tenant, type, block)
  select distinct p_partition, p_session, x.tenant, x.type, x.sequence / 256
  from session_events x
  where x.partition = p_partition and x.session_id = p_source and x.sequence <= p_sequence;
  insert into session_edges
    (partition, session_id, tenant, from_node, label, to_node, sequence, evidence, from_start, to_start, digest)
  select p_partition, p_session, x.tenant, x.from_node, x.label, x.to_node, x.sequence, x.evidence, x.from_start, x.to_start, x.digest
  from session_edges x
  where x.partition = p_partition and x.session_id = p_source and x.sequence <= p_sequence and x.tools = '';
  perform insert_events(p_partition, p_session, p_view ->> 'tenant', p_sequence, p_at, null, null, array[e_id], array[e_type],
    array[e_role], array[e_content], array[e_parts], array[e_agent], array[e_occurred],
    array[e_checksum]);
  return 'created';
exception when unique_violation then
  perform set_tenant(null);
  return case
    when exists (select 1 from session_imports x where x.partition = p_partition and x.session_id = p_session)
      then 'importing'
    else 'same-id'
  end;
end $$;

-- Returns all views of one session as JSON, what its idempotency key wrote, and with p_with_commit the last commit of
-- its chain. view null: there is no such session.
--
-- With p_token it locks the session first, for two seconds by the clock of the database: no other decision gets in
-- between, and with p_holds_appends no append either. is_locked: another token has the lock, and nothing was read.
create function context.load_session(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_key text, p_with_commit boolean, p_token uuid,
  p_holds_appends boolean,
  out view text, out fingerprint text, out first_sequence integer, out last_sequence integer, out last_commit json,
  out is_locked boolean
)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_until timestamptz;
  v_chain uuid;
  v_tenant_scope text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  if p_token is not null then
    v_until := clock_timestamp() + interval '2 seconds';
    update sessions x
    set lock_token = p_token, locked_until = v_until, appends_wait_until = case when p_holds_appends then v_until end
    where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user)
      and (x.lock_token is null or x.lock_token = p_token or x.locked_until < v_until - interval '2 seconds');
    if not found then
      is_locked := exists (
        select 1
        from sessions x
        where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user)
      );
      return;
    end if;
  end if;
  view := (
    select row_to_json(v)
    from session_views v
    where v.partition = p_partition and v.id = p_session and can_access(v.tenant, v.user_id, p_tenant, p_user)
  );
  if view is null then
    return;
  end if;
  if p_key is not null then
    select k.fingerprint, k.first_sequence, k.last_sequence into fingerprint, first_sequence, last_sequence
    from session_keys k
    where k.partition = p_partition and k.session_id = p_session and k.key = p_key;
  end if;
  if p_with_commit then
    select chain_of(x.tenant, x.user_id, x.conversation_id) into v_chain
    from sessions x
    where x.partition = p_partition and x.id = p_session;
    last_commit := (
      select row_to_json(c)
      from conversation_commits c
      where c.partition = p_partition and c.chain = v_chain
      order by c.position desc
      limit 1
    );
  end if;
end $$;

-- Gives the lock of load_session back without a decision.
create function context.unlock_session(p_partition smallint, p_session uuid, p_token uuid) returns void
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform set_tenant(null);
  update sessions x
  set lock_token = null, locked_until = null, appends_wait_until = null
  where x.partition = p_partition and x.id = p_session and x.lock_token = p_token;
end $$;

-- Returns all views of one session as the text of one JSON object, without locks. Reading a row of forty columns costs
-- the client twice as much. Null: there is no such session.
create function context.read_session(p_partition smallint, p_session uuid, p_tenant text, p_user text) returns text
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_tenant_scope text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  return (
    select row_to_json(v)
    from session_views v
    where v.partition = p_partition and v.id = p_session and can_access(v.tenant, v.user_id, p_tenant, p_user)
  );
end $$;

-- Returns the record alone, as JSON text.
create function context.read_record(p_partition smallint, p_session uuid, p_tenant text, p_user text) returns text
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_tenant_scope text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  return (
    select row_to_json(r)
    from (
      select x.id, x.tenant, x.user_id, x.conversation_id, x.chatmode, x.workflow, x.skill, x.git_branch, x.task, x.status,
        x.active_agent, x.head, x.turns, x.started_at, x.last_activity_at, x.ended_at, x.expires_at, x.metadata, x.forked_from,
        x.parent_id, x.parent_sequence, x.usage, live_run(x.run) as run
      from sessions x
      where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user)
    ) r
  );
end $$;

-- Returns the scratchpad alone, as JSON text. Reads sessions only if the caller is limited to one user.
create function context.read_state(p_partition smallint, p_session uuid, p_tenant text, p_user text) returns text
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_tenant_scope text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  return (
    select row_to_json(r)
    from (
      select x.scratchpad, x.version, x.updated_at
      from session_state x
      where x.partition = p_partition and x.session_id = p_session and (p_tenant is null or x.tenant = p_tenant)
        and (p_user is null or exists (
          select 1 from sessions s where s.partition = p_partition and s.id = p_session and s.user_id = p_user
        ))
    ) r
  );
end $$;

-- Stores a decision of one event without a key that changes only the scratchpad and the counters. For runs it counts
-- like an append. The view it was
-- decided on may be cached: p_started distinguishes a session from an earlier one with the same id. Returns the
-- sequence. Null: nothing was written, and decide_session says why.
create function context.change_state(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_version integer, p_turns integer, p_at timestamptz,
  p_minute integer, p_token uuid, p_started timestamptz, s_scratchpad json, s_version integer, s_updated timestamptz,
  e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text, e_checksum bytea
)
returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_head integer;
  v_tenant text;
  -- The session's marked types; null: e_type is among them.
  v_marked_types text;
  v_tenant_scope text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  update sessions x
  set head = x.head + 1, turns = x.turns + p_turns, bytes = x.bytes + event_bytes(e_content, e_parts),
      last_activity_at = p_at, activity_minute = p_minute,
      due_at = case when p_turns > 0 and x.run_generation is null and takes_work(x.state) then least(x.due_at, p_at)
        else x.due_at end,
      decision_version = x.decision_version + 1, lock_token = null, locked_until = null, appends_wait_until = null
  where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user)
    and x.decision_version = p_version and x.started_at = p_started and (x.lock_token is null or x.lock_token = p_token)
  returning x.head, x.tenant,
    case when starts_with(x.marked_types, (x.head / 256)::text || ' ') and strpos(x.marked_types, ' ' || e_type || ' ') > 0
      then null else x.marked_types end
  into v_head, v_tenant, v_marked_types;
  if v_head is null then
    return null;
  end if;
  update session_state x
  set scratchpad = s_scratchpad, version = s_version, updated_at = s_updated
  where x.partition = p_partition and x.session_id = p_session;
  insert into session_events
    (partition, session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at, checksum)
  values (p_partition, p_session, v_head, e_id, v_tenant, e_type, e_role, e_content, e_parts, e_agent, e_occurred, p_at,
    e_checksum);
  if v_marked_types is not null then
    perform mark_type(p_partition, p_session, v_tenant, e_type, v_head, v_marked_types);
  end if;
  return v_head;
end $$;

-- Stores a decision with its views, relations (g_*) and commit, and gives its lock back. Counters move by what is
-- added, so appends and renewals may have come in between. Outcome stale: another decision came in between, another
-- token has the lock, or the decision changes the lease and saw another one (p_lease) than the stored one. A decision
-- that does not change the lease keeps the stored one. A user message that came after p_seen_turns still makes the
-- session need work. p_envelope_place: which event changed the envelope, from 1; null: none. A taken position in the
-- chain is a unique violation. Other outcomes as in append_events.
create function context.decide_session(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_version integer, p_turns integer, p_at timestamptz,
  p_minute integer, p_token uuid, p_key text, p_fingerprint text, p_view json, p_clears boolean,
  p_lease timestamptz, p_changes_lease boolean, p_seen_turns integer, p_envelope_place integer,
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[],
  e_checksum bytea[],
  g_from text[], g_label text[], g_to text[], g_place integer[], g_evidence text[]
)
returns table (outcome text, first_sequence integer, last_sequence integer)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v context.input_view := json_populate_record(null::context.input_view, p_view);
  v_commit text := v.commit ->> 'id';
  v_active timestamptz := p_at;
  v_minute integer := p_minute;
  v_rewinds boolean := 'rewound' = any (e_type);
  s record;
begin
  perform set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
  select x.tenant, x.user_id, x.head, x.decision_version, x.commit_id, x.ended_at, x.last_activity_at, x.activity_minute,
    x.lock_token, x.locked_until, x.lease_until, x.turns
  into s
  from sessions x
  where x.partition = p_partition and x.id = p_session
  for update;
  if s.head is null or not can_access(s.tenant, s.user_id, p_tenant, p_user) then
    outcome := 'missing';
  elsif s.decision_version <> p_version
    or (s.lock_token is distinct from p_token and s.locked_until > clock_timestamp())
    -- A decision that ends or rewinds a session must have seen its whole log: a message may have arrived meanwhile.
    or (
      ((s.ended_at is null and v."endedAt" is not null) or v_rewinds) and v.head <> s.head + cardinality(e_id)
    )
    or (p_changes_lease and s.lease_until is distinct from p_lease)
  then
    outcome := 'stale';
  else
    outcome := 'written';
    first_sequence := s.head + 1;
    last_sequence := s.head + cardinality(e_id);
    perform insert_events(p_partition, p_session, s.tenant, s.head, p_at, p_key, p_fingerprint,
      e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred, e_checksum);
    if cardinality(g_from) > 0 then
      perform insert_edges(p_partition, p_session, s.tenant, s.head, g_from, g_label, g_to, g_place, g_evidence);
    end if;
    if v_commit is not null and v_commit is distinct from s.commit_id then
      -- Compaction describes past work, so it does not count as activity.
      v_active := s.last_activity_at;
      v_minute := s.activity_minute;
      insert into conversation_commits
        (partition, chain, tenant, conversation_id, position, commit_id, session_id, user_id, made_at)
      values (p_partition, chain_of(s.tenant, s.user_id, v."conversationId"), s.tenant, v."conversationId",
        (v.commit ->> 'position')::integer, v_commit, p_session, s.user_id, p_at);
    end if;
    if p_envelope_place is not null then
      perform write_envelope(p_partition, p_session, s.tenant, s.head + p_envelope_place, p_view);
    end if;
    if not p_changes_lease then
      v."leaseUntil" := s.lease_until;
    end if;
    if generation_of(v.run) is not null then
      v."dueAt" := case when v."dueAt" is not null then coalesce(v."leaseUntil", v."dueAt") end;
    elsif s.turns > p_seen_turns and v."endedAt" is null and takes_work(v.status ->> 'state') then
      v."dueAt" := least(v."dueAt", p_at);
    end if;
    perform write_views(p_partition, p_session, v, last_sequence, p_turns, event_bytes(e_content, e_parts),
      case when v_rewinds then v."clearedAt" when p_clears then last_sequence end, v_active, v_minute,
      s.head + p_envelope_place, 1);
    if v."addedUsage" is not null then
      perform add_usage(array[p_partition], array[p_session], json_build_array(last_sequence), v."addedUsage");
    end if;
  end if;
  return next;
end $$;

-- Writes the parts of the views that decisions own. Not null: the new head, where messages were cleared, the last
-- activity with its minute, and the event of the envelope. p_turns, p_bytes and p_versions are added. Ending a session
-- frees its scope.
create function context.write_views(
  p_partition smallint, p_session uuid, v context.input_view, p_head integer, p_turns integer, p_bytes bigint,
  p_cleared integer, p_active timestamptz, p_minute integer, p_envelope_at integer, p_versions integer
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
      head = coalesce(p_head, x.head), turns = x.turns + p_turns, bytes = x.bytes + p_bytes, cleared_at = coalesce(p_cleared, x.cleared_at),
      hidden = v.hidden,
      last_activity_at = coalesce(p_active, x.last_activity_at),
      activity_minute = coalesce(p_minute, x.activity_minute), envelope_at = coalesce(p_envelope_at, x.envelope_at),
      decision_version = x.decision_version + p_versions, lock_token = null, locked_until = null,
      appends_wait_until = null, parent_id = (v.parent ->> 'sessionId')::uuid,
      parent_sequence = (v.parent ->> 'sequence')::integer, run = v.run, run_generation = generation_of(v.run),
      lease_until = v."leaseUntil", due_at = v."dueAt", requests = v.requests, requests_at = v."requestsAt"
  where x.partition = p_partition and x.id = p_session;
  -- Absent where the metadata is unchanged.
  if v.labels is not null then
    perform write_labels(p_partition, p_session, v);
  end if;
  update session_state x
  set scratchpad = v.scratchpad, version = v.version, updated_at = v."updatedAt"
  where x.partition = p_partition and x.session_id = p_session;
  if v."endedAt" is not null then
    delete from session_slots x where x.partition = p_partition and x.session_id = p_session;
  end if;
end $$;

create function context.write_view(p_partition smallint, p_session uuid, p_view json) returns void
language plpgsql as $$
begin
  perform write_views(p_partition, p_session, json_populate_record(null::context.input_view, p_view), null, 0, 0, null,
    null, null, null, 0);
end $$;

-- Replaces views, envelope, relations, usage and, if not null, the bytes of the log, if the head is still p_head. An
-- existing commit at the position stays. So does the lease of the live run, which is not of the log, unless the view
-- has one.
create function context.repair_session(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_head integer, p_view json, p_usage json,
  p_bytes bigint, g_from text[], g_label text[], g_to text[], g_sequence integer[], g_evidence text[]
)
returns boolean
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_commit text := p_view -> 'commit' ->> 'id';
  s record;
begin
  perform set_tenant(p_tenant);
  select x.tenant, x.user_id, x.head, x.bytes, x.run_generation, x.lease_until into s
  from sessions x
  where x.partition = p_partition and x.id = p_session
  for update;
  if s.head is null or not can_access(s.tenant, s.user_id, p_tenant, p_user) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  if s.head <> p_head then
    return false;
  end if;
  perform replace_views(p_partition, p_session, s.tenant, p_view, coalesce(p_bytes - s.bytes, 0));
  if s.lease_until is not null then
    update sessions x
    set lease_until = s.lease_until, due_at = case when x.due_at is not null then s.lease_until end
    where x.partition = p_partition and x.id = p_session and x.run_generation = s.run_generation
      and x.lease_until is null;
  end if;
  delete from session_edges x where x.partition = p_partition and x.session_id = p_session;
  delete from session_work_marks x where x.partition = p_partition and x.session_id = p_session;
  perform insert_edges(p_partition, p_session, s.tenant, 0, g_from, g_label, g_to, g_sequence, g_evidence);
  perform change_usage(p_partition, p_session, s.tenant, s.user_id, true, p_usage);
  if v_commit is not null then
    insert into conversation_commits
      (partition, chain, tenant, conversation_id, position, commit_id, session_id, user_id, made_at)
    values (p_partition, chain_of(s.tenant, s.user_id, p_view ->> 'conversationId'), s.tenant, p_view ->> 'conversationId',
      (p_view -> 'commit' ->> 'position')::integer, v_commit, p_session, s.user_id,
      (p_view ->> 'lastActivityAt')::timestamptz)
    on conflict do nothing;
  end if;
  return true;
end $$;

-- Only the given conditions become part of the statement, so each is served by its own index. The list ends with the
-- session that takes it to p_size characters. It leaves out what records do not show: earlier runs and requests.
create function context.list_sessions(
  p_partition smallint, p_tenant text, p_user text, p_state text, p_chatmode text, p_agent text, p_conversation text,
  p_since timestamptz, p_until timestamptz, p_cursor_at timestamptz, p_cursor_id uuid, p_limit integer, p_size integer,
  p_parent uuid, p_ids uuid[]
)
returns setof context.sessions
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  s sessions;
  size bigint := 0;
begin
  perform set_tenant(p_tenant);
  for s in execute
    'select * from sessions where tenant = $1'
    || case when p_user is not null then ' and user_id = $2 and partition = $12' else '' end
    || case when p_state is not null then ' and state = $3' else '' end
    || case when p_chatmode is not null then ' and chatmode = $4' else '' end
    || case when p_agent is not null then ' and active_agent = $5' else '' end
    || case when p_conversation is not null then ' and conversation_id = $6' else '' end
    || case when p_parent is not null then ' and parent_id = $13' else '' end
    || case when p_ids is not null then ' and id = any ($14)' else '' end
    || case when p_since is not null
       then ' and activity_minute >= minute_of($7) and last_activity_at >= $7' else '' end
    || case when p_until is not null
       then ' and activity_minute <= minute_of($8) and last_activity_at < $8' else '' end
    || case when p_cursor_id is not null
       then ' and (activity_minute, last_activity_at, id) < (minute_of($9), $9, $10)' else '' end
    || ' order by activity_minute desc, last_activity_at desc, id desc limit $11'
    using p_tenant, p_user, p_state, p_chatmode, p_agent, p_conversation, p_since, p_until, p_cursor_at, p_cursor_id,
      p_limit, p_partition, p_parent, p_ids
  loop
    if s.run is not null or s.requests is not null then
      s.run := live_run(s.run);
      s.requests := null;
    end if;
    return next s;
    size := size + length(s.metadata::text) + length(s.status::text) + coalesce(length(s.task), 0)
      + coalesce(length(s.run::text), 0);
    exit when size >= p_size;
  end loop;
end $$;

-- Returns the ids of all sessions below p_session, which belong to its owner. "union" ends at a session it has met: a
-- forged import may name parents in a circle.
create function context.list_descendants(p_partition smallint, p_session uuid, p_tenant text, p_user text)
returns setof uuid
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  s record;
begin
  perform set_tenant(p_tenant);
  select x.tenant, x.user_id into s from sessions x where x.partition = p_partition and x.id = p_session;
  if s.tenant is null or not can_access(s.tenant, s.user_id, p_tenant, p_user) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  return query
    with recursive tree (id) as (
      select p_session
      union
      select x.id
      from tree t
      join sessions x on x.parent_id = t.id
      where x.partition = p_partition and x.tenant = s.tenant and x.user_id = s.user_id
    )
    select t.id from tree t where t.id <> p_session;
end $$;

-- Returns ids of sessions with a label: of one user, in the user's partition, or of the tenant.
create function context.find_labelled(
  p_partition smallint, p_tenant text, p_user text, p_label text, p_limit integer
)
returns setof uuid
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform set_tenant(p_tenant);
  return query execute
    'select session_id from session_labels where tenant = $1 and label = $2'
    || case when p_user is not null then ' and user_id = $3 and partition = $4' else '' end
    || ' limit $5'
    using p_tenant, p_label, p_user, p_partition, p_limit;
end $$;

-- Returns ids in ascending order: of one user, in the user's partition, or of all users.
create function context.session_ids(p_partition smallint, p_tenant text, p_user text, p_after uuid, p_limit integer)
returns setof uuid
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform set_tenant(p_tenant);
  return query execute
    'select id from sessions where true'
    || case when p_tenant is not null then ' and tenant = $2' else '' end
    || case when p_user is not null then ' and user_id = $3 and partition = $1' else '' end
    || case when p_after is not null then ' and id > $4' else '' end
    || ' order by id limit $5'
    using p_partition, p_tenant, p_user, p_after, p_limit;
end $$;

create function context.count_sessions(p_partition smallint, p_tenant text, p_user text)
returns table (sessions integer, events bigint)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform set_tenant(p_tenant);
  return query
    select count(*)::integer, coalesce(sum(x.head), 0)::bigint
    from context.sessions x
    where can_access(x.tenant, x.user_id, p_tenant, p_user);
end $$;

-- The only function that deletes a session. It takes the user's lock first: an index writer that holds it finds the
-- whole session or nothing. It then deletes the session row, so a waiting append finds nothing. Commits of an earlier
-- session with the same id stay as they are.
create function context.purge_session(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_at timestamptz
)
returns table (events integer, keys integer)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  s record;
begin
  perform set_tenant(p_tenant);
  select x.tenant, x.user_id into s
  from sessions x
  where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user);
  if s.tenant is not null then
    perform lock_user(s.tenant, s.user_id);
  end if;
  delete from sessions x
  where x.partition = p_partition and x.id = p_session and x.tenant = s.tenant and x.user_id = s.user_id;
  if not found then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  delete from session_events x where x.partition = p_partition and x.session_id = p_session;
  get diagnostics events = row_count;
  delete from session_keys x where x.partition = p_partition and x.session_id = p_session;
  get diagnostics keys = row_count;
  delete from session_types x where x.partition = p_partition and x.session_id = p_session;
  delete from session_state x where x.partition = p_partition and x.session_id = p_session;
  delete from session_envelopes x where x.partition = p_partition and x.session_id = p_session;
  delete from session_slots x where x.partition = p_partition and x.session_id = p_session;
  delete from session_labels x where x.partition = p_partition and x.session_id = p_session;
  delete from session_edges x where x.partition = p_partition and x.session_id = p_session;
  delete from session_work_marks x where x.partition = p_partition and x.session_id = p_session;
  delete from session_marks x where x.partition = p_partition and x.session_id = p_session;
  delete from session_usage x where x.partition = p_partition and x.session_id = p_session;
  -- Where the id points to its own partition; elsewhere the caller frees it.
  delete from session_directory x where x.partition = p_partition and x.id = p_session;
  perform remove_words(p_partition, s.tenant, s.user_id, 'messages', array[p_session]);
  update conversation_commits x
  set purged_at = p_at, user_id = ''
  where x.partition = p_partition and x.session_id = p_session and x.purged_at is null;
  return next;
end $$;

create function context.iso_time(p_at timestamptz) returns text
language sql stable as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Whether a sequence is in a hidden range: see sessions.hidden.
create function context.is_hidden(p_hidden integer[], p_sequence integer) returns boolean
language sql immutable parallel safe as $$
  select p_hidden is not null and exists (
    select 1
    from generate_series(1, cardinality(p_hidden), 2) i
    where p_sequence between p_hidden[i] and p_hidden[i + 1]
  )
$$;

-- One row per session with its messages and agent transitions, for reading with SQL. A view with joins takes no writes.
-- Row level security shows the tenant in the setting throughline.tenant.
create view context.conversation_sessions with (security_invoker = true) as
select
  s.id,
  s.user_id,
  s.active_agent,
  coalesce(m.messages, '[]'::json) as messages,
  coalesce(t.switches, '[]'::json) as agent_transitions,
  s.started_at as created_at,
  s.last_activity_at as updated_at,
  s.expires_at
from context.sessions s
left join lateral (
  select json_agg(
    json_strip_nulls(json_build_object(
      'role', case e.type when 'user_message' then 'user' else 'assistant' end,
      'content', e.content,
      'agentId', e.agent_id,
      'timestamp', coalesce(e.occurred_at, context.iso_time(e.created_at))
    ))
    order by e.sequence
  ) as messages
  from context.session_events e
  where e.partition = s.partition and e.session_id = s.id and e.sequence > s.cleared_at and e.content <> ''
    and e.type in ('user_message', 'model_message') and not context.is_hidden(s.hidden, e.sequence)
) m on true
left join lateral (
  select json_agg(
    json_build_object(
      'from', e.parts ->> 'from', 'to', e.parts ->> 'to', 'reason', e.content, 'timestamp', context.iso_time(e.created_at)
    )
    order by e.sequence
  ) as switches
  from context.session_events e
  where e.partition = s.partition and e.session_id = s.id and e.type = 'agent_transition'
    and not context.is_hidden(s.hidden, e.sequence)
) t on true;
