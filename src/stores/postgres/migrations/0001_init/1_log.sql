-- The log of each session and the rows that every append touches.
--
-- Every table of a session, a user or a conversation has the partition of its owner (tenant and user) first in its key,
-- and every function that the application calls has it as its first parameter. So the tables can be split by
-- partition, and each call finds all its rows, and everything it locks, on one node.

-- The partition of an owner; the same as partitionOf in domain/partition.ts, which explains it.
create function context.partition_of(p_tenant text, p_user text) returns smallint
language plpgsql immutable strict parallel safe set search_path = pg_catalog as $$
declare
  v_bytes bytea := convert_to(p_tenant, 'UTF8') || '\x00'::bytea || convert_to(p_user, 'UTF8');
  v_hash bigint := 2166136261;
begin
  for i in 0 .. length(v_bytes) - 1 loop
    v_hash := ((v_hash # get_byte(v_bytes, i)) * 16777619) & 4294967295;
  end loop;
  return (v_hash # (v_hash >> 10) # (v_hash >> 20)) & 1023;
end $$;

-- The minute of a time since 1970, as minuteOf in times.ts computes it. Immutable, so that index conditions can use it.
create function context.minute_of(p_at timestamptz) returns integer
language sql immutable parallel safe as $$
  select floor(extract(epoch from p_at) / 60)::integer
$$;

-- The groups of partitions that a call for many users goes to one by one. No row: one call reaches all partitions.
create function context.partition_groups() returns table (partitions smallint[])
language sql stable as $$
  select null::smallint[] where false
$$;

create table context.sessions (
  partition        smallint    not null,
  id               uuid        not null,
  tenant           text        not null,
  user_id          text        not null,
  conversation_id  text        not null,
  chatmode         text        not null,
  workflow         text,
  skill            text,
  git_branch       text,
  task             text,
  state            text        not null,
  status           json        not null,
  active_agent     text        not null,
  head             integer     not null,
  turns            integer     not null,
  cleared_at       integer     not null,
  -- First and last sequence of each range off the current line, in ascending order.
  hidden           integer[],
  -- Only decisions increase it, so a plain append never makes a decision stale.
  decision_version integer     not null default 0,
  -- Bytes of the content and parts of its events.
  bytes            bigint      not null default 0,
  started_at       timestamptz not null,
  last_activity_at timestamptz not null,
  -- Since when, or from when on, the session needs work: dueAt in domain/run.ts.
  due_at           timestamptz,
  -- Of the live run.
  lease_until      timestamptz,
  -- When a request was last opened or resolved.
  requests_at      timestamptz,
  -- Minute of last_activity_at. Lists are indexed by it: with an index on the exact time no append would be a HOT
  -- update.
  activity_minute  integer     not null,
  -- Of the live run; null: there is none.
  run_generation   integer,
  ended_at         timestamptz,
  expires_at       timestamptz,
  metadata         json        not null,
  forked_from      json,
  last_work        text,
  commit_id        text,
  commit_position  integer,
  -- The session ended in a way that leaves a commit, and has none yet.
  awaits_commit    boolean     not null default false,
  -- Sequence of the last event that changed the envelope.
  envelope_at      integer     not null default 1,
  -- Number of the head's block, then types known to be marked in it, each followed by a blank. Reading session_types
  -- for each event would be a fifth of an append's cost. The list may be incomplete (it stops at 400 characters) but
  -- never names an unmarked type: marks are deleted only with their session.
  marked_types     text        not null default '',
  -- Set by a decision that met a conflict: until this time only the holder of the token may decide.
  lock_token       uuid,
  locked_until     timestamptz,
  -- Set by an end that met several conflicts: appends wait until then. Usually null, which an append checks.
  appends_wait_until timestamptz,
  -- The session that started this one, and the event that called for it.
  parent_id        uuid,
  parent_sequence  integer,
  -- Sums of model calls: the number of the turn, six in total, six of that turn. Null: there was none.
  usage            bigint[],
  -- live: the live run of the record; known: what else is known of its runs (RunView).
  run              json,
  -- Open requests.
  requests         json,
  primary key (partition, id)
) with (fillfactor = 80);

-- For shared appends and for calls that page through all sessions.
create index sessions_id on context.sessions (id);
create index sessions_active on context.sessions (tenant, user_id, chatmode, started_at, id)
  where ended_at is null and parent_id is null;
create index sessions_children on context.sessions (partition, parent_id, activity_minute) where parent_id is not null;
create index sessions_activity on context.sessions (tenant, activity_minute);
create index sessions_user on context.sessions (tenant, user_id, activity_minute);
create index sessions_state on context.sessions (tenant, state, activity_minute);
create index sessions_chatmode on context.sessions (tenant, chatmode, activity_minute);
create index sessions_agent on context.sessions (tenant, active_agent, activity_minute);
create index sessions_conversation on context.sessions (tenant, conversation_id, activity_minute);
-- For sweeps over all tenants. By the minute, so that appends stay HOT updates.
create index sessions_due on context.sessions (activity_minute, id) where ended_at is null;
create index sessions_expiring on context.sessions (expires_at, id) where ended_at is null and expires_at is not null;
create index sessions_uncommitted on context.sessions (ended_at, id) where awaits_commit;
-- Whether any session needs work, then those of a tenant and chatmode in the order in which they wait. The last three
-- columns leave sessions out without a look at their rows. Collation "C" orders tenants by code point, as every store
-- does.
create index sessions_work on context.sessions (due_at) where due_at is not null;
create index sessions_claimable
  on context.sessions (tenant collate "C", chatmode, due_at, id, active_agent, user_id, expires_at) where due_at is not null;
create index sessions_asking on context.sessions (tenant, requests_at, id, user_id) where requests is not null;
create index sessions_asked on context.sessions (tenant, requests_at, id, user_id) where requests_at is not null;

-- The live session of each scope. A partial unique index on sessions could not be distributed.
create table context.session_slots (
  partition       smallint not null,
  tenant          text     not null,
  user_id         text     not null,
  chatmode        text     not null,
  conversation_id text     not null,
  session_id      uuid     not null,
  primary key (partition, tenant, user_id, chatmode, conversation_id)
);

-- For ending, purging and importing a session.
create index session_slots_session on context.session_slots (session_id);

-- An index on metadata: its short top-level members as JSON text, such as ["project","x"]. Row level security keeps an
-- index on the column itself from being used.
create table context.session_labels (
  partition  smallint not null,
  session_id uuid     not null,
  label      text     not null,
  tenant     text     not null,
  user_id    text     not null,
  primary key (partition, session_id, label)
);

create index session_labels_label on context.session_labels (tenant, label, user_id);

create table context.session_state (
  partition  smallint    not null,
  session_id uuid        not null,
  tenant     text        not null,
  scratchpad json        not null,
  version    integer     not null,
  updated_at timestamptz not null,
  primary key (partition, session_id)
);

-- parts is json, which keeps the text as written; cast it to jsonb to query it. The partition comes after the id, where
-- it needs no padding.
create table context.session_events (
  session_id  uuid        not null,
  sequence    integer     not null,
  id          uuid        not null,
  partition   smallint    not null,
  tenant      text        not null,
  type        text        not null,
  role        text        not null,
  content     text        not null,
  parts       json,
  agent_id    text,
  occurred_at text,
  created_at  timestamptz not null,
  -- Salt and digest of what was written.
  checksum    bytea       not null,
  primary key (partition, session_id, sequence)
);

-- Types that occur in each block of 256 sequences, for reads by type.
create table context.session_types (
  partition  smallint not null,
  session_id uuid     not null,
  tenant     text     not null,
  type       text     not null,
  block      integer  not null,
  primary key (partition, session_id, type, block)
);

-- Idempotency keys and the events they wrote.
create table context.session_keys (
  partition      smallint not null,
  session_id     uuid     not null,
  tenant         text     not null,
  key            text     not null,
  fingerprint    text     not null,
  first_sequence integer  not null,
  last_sequence  integer  not null,
  primary key (partition, session_id, key)
);

-- Where sessions are whose id points to another partition: an id that a caller chose points anywhere. partition is the
-- one that the id points to, home the one of its owner. The row is claimed before the session is created, so that one
-- id cannot be used in two partitions.
create table context.session_directory (
  partition  smallint    not null,
  id         uuid        not null,
  home       smallint    not null,
  claimed_at timestamptz not null,
  primary key (partition, id)
);

create type context.event_row as (
  sequence integer, id uuid, type text, role text, content text, parts text, agent_id text, occurred_at text,
  created_at timestamptz
);

-- Whether a session in this state can be worked on: takesWork in domain/run.ts.
create function context.takes_work(p_state text) returns boolean
language sql immutable parallel safe as $$
  select p_state in ('running', 'interrupted')
$$;

-- Appends one event that has no idempotency key and states no expected sequence. Returns its sequence. Null: nothing
-- was written, and append_events says why. p_run: the generation that the live run must have; null: any, or none. After
-- a user message the session needs work, unless a run is live. The UPDATE also checks whether the type is marked: as an
-- expression of the function itself the check took a tenth of the call, because plpgsql prepares each expression again
-- in every transaction.
create function context.append_event(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_turns integer, p_bytes integer, p_at timestamptz,
  p_minute integer, p_run integer, e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text,
  e_occurred text, e_checksum bytea
)
returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_head integer;
  v_tenant text;
  -- The session's marked types; null: e_type is among them.
  v_marked_types text;
  -- An assignment costs less than a statement.
  v_tenant_scope text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  update sessions x
  set head = x.head + 1, turns = x.turns + p_turns, bytes = x.bytes + p_bytes, last_activity_at = p_at,
      activity_minute = p_minute,
      due_at = case when p_turns > 0 and x.run_generation is null and takes_work(x.state) then least(x.due_at, p_at)
        else x.due_at end
  where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user)
    and x.ended_at is null and (x.expires_at is null or x.expires_at > p_at) and x.appends_wait_until is null
    and (p_run is null or x.run_generation = p_run)
  returning x.head, x.tenant,
    case when starts_with(x.marked_types, (x.head / 256)::text || ' ') and strpos(x.marked_types, ' ' || e_type || ' ') > 0
      then null else x.marked_types end
  into v_head, v_tenant, v_marked_types;
  if v_head is null then
    return null;
  end if;
  insert into session_events
    (partition, session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at,
    checksum)
  values (p_partition, p_session, v_head, e_id, v_tenant, e_type, e_role, e_content, e_parts, e_agent, e_occurred, p_at,
    e_checksum);
  if v_marked_types is not null then
    perform mark_type(p_partition, p_session, v_tenant, e_type, v_head, v_marked_types);
  end if;
  return v_head;
end $$;

-- Appends to many sessions in one call. One UPDATE moves all heads, because each statement of a function costs as much
-- as the row it writes: 32 sessions took 5.0 ms of the server one by one and 1.6 ms together.
--
-- p_partition: one of the partitions of the batch; where tables are split, the only one.
-- s_*: the sessions, each once, grouped by tenant. s_at is the time of the last append and s_minute its minute,
--      s_expected the head the caller saw, s_type the common type of the events if they have one, s_run the generation
--      that the live run must have, s_due the time of the first append with a user message.
-- k_*: the appends with an idempotency key. k_place is the place of the first event among those of its session.
-- e_*: the events. e_session is the index of the session, e_place the place among the events of that session, from 1,
--      e_at the time if it differs from s_at.
-- An array that holds only nulls may be null itself.
--
-- heads:   for each session the head before its events; null: nothing was written.
-- refused: null, or the outcome of each session without a write: missing, ended (when), conflict (current head), lost
--          (the run is over), again, wait (a decision holds appends back for a moment).
-- known:   null, or the keys that are already stored. A session with a stored key gets no events in this call; its
--          other appends have the outcome again.
create function context.append_events(
  p_partition smallint, s_partition smallint[], s_id uuid[], s_tenant text[], s_user text[], s_count integer[],
  s_turns integer[], s_bytes integer[], s_at timestamptz[], s_minute integer[], s_expected integer[], s_type text[],
  s_run integer[], s_due timestamptz[], k_session integer[], k_key text[], k_fingerprint text[], k_place integer[], k_count integer[],
  e_session integer[], e_place integer[], e_at timestamptz[], e_id uuid[], e_type text[], e_role text[], e_content text[],
  e_parts json[], e_agent text[], e_occurred text[], e_checksum bytea[],
  out heads json, out refused json, out known json
)
language plpgsql security definer set search_path = context, pg_temp set jit = off
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off
set enable_mergejoin = off as $$
declare
  n integer := cardinality(s_id);
  before integer[] := array_fill(null::integer, array[n]);
  tenants text[] := array_fill(null::text, array[n]);
  partitions smallint[] := s_partition;
  refusals json[] := array_fill(null::json, array[n]);
  keys json[] := '{}';
  ids uuid[];
  blocks integer[];
  unmarked_sessions integer[] := '{}';
  low integer := 1;
  high integer;
  written integer := 0;
  v_tenant_scope text;
  v_partition smallint;
  v_session uuid;
  v_before integer;
  v_tenant text;
  v_at timestamptz;
  r record;
begin
  while low <= n loop
    -- The sessions of one caller's tenant, in the scope of that tenant.
    high := n;
    if s_tenant[low] is distinct from s_tenant[n] then
      high := low;
      while s_tenant[high + 1] is not distinct from s_tenant[low] loop
        high := high + 1;
      end loop;
    end if;
    v_tenant_scope := set_config('throughline.tenant', coalesce(s_tenant[low], '*'), true);
    ids := case when high - low + 1 = n then s_id else s_id[low:high] end;

    if cardinality(k_session) > 0 then
      for r in
        select k.number::integer, k.session, k.fingerprint = y.fingerprint as same, y.first_sequence, y.last_sequence
        from unnest(k_session, k_key, k_fingerprint) with ordinality as k (session, key, fingerprint, number)
        join session_keys y
          on y.partition = s_partition[k.session] and y.session_id = s_id[k.session] and y.key = k.key
        join sessions x on x.partition = s_partition[k.session] and x.id = s_id[k.session]
        where k.session between low and high and can_access(x.tenant, x.user_id, s_tenant[k.session], s_user[k.session])
      loop
        refusals[r.session] := json_build_object('outcome', 'again');
        ids := array_remove(ids, s_id[r.session]);
        keys := keys || json_build_object('number', r.number, 'same', r.same, 'first', r.first_sequence, 'last', r.last_sequence);
      end loop;
    end if;

    for r in
      update sessions x
      set head = x.head + s_count[array_position(s_id, x.id)], turns = x.turns + s_turns[array_position(s_id, x.id)],
          bytes = x.bytes + s_bytes[array_position(s_id, x.id)], last_activity_at = s_at[array_position(s_id, x.id)],
          activity_minute = s_minute[array_position(s_id, x.id)],
          due_at = case when s_due is not null and x.run_generation is null and takes_work(x.state)
            then least(x.due_at, s_due[array_position(s_id, x.id)]) else x.due_at end
      where x.id = any (ids) and x.partition = any (s_partition) and x.ended_at is null and x.appends_wait_until is null
        and can_access(x.tenant, x.user_id, s_tenant[low], s_user[array_position(s_id, x.id)])
        and (x.expires_at is null or x.expires_at > s_at[array_position(s_id, x.id)])
        and (s_expected is null or coalesce(s_expected[array_position(s_id, x.id)], x.head) = x.head)
        and (s_run is null or s_run[array_position(s_id, x.id)] is null
          or x.run_generation = s_run[array_position(s_id, x.id)])
      returning array_position(s_id, x.id) as i, x.partition, x.head, x.tenant, x.marked_types
    loop
      partitions[r.i] := r.partition;
      before[r.i] := r.head - s_count[r.i];
      tenants[r.i] := r.tenant;
      written := written + 1;
      if s_type[r.i] is null or (before[r.i] + 1) / 256 <> r.head / 256
        or not starts_with(r.marked_types, (r.head / 256)::text || ' ') or strpos(r.marked_types, ' ' || s_type[r.i] || ' ') = 0
      then
        unmarked_sessions := unmarked_sessions || r.i;
      end if;
    end loop;
    low := high + 1;
  end loop;

  if written < n then
    for i in 1 .. n loop
      continue when before[i] is not null or refusals[i] is not null;
      v_tenant_scope := set_config('throughline.tenant', coalesce(s_tenant[i], '*'), true);
      select x.head, x.run_generation, coalesce(x.ended_at, case when x.expires_at <= s_at[i] then x.expires_at end) as ended,
        x.appends_wait_until as waits_until
      into r
      from sessions x
      where x.partition = s_partition[i] and x.id = s_id[i] and can_access(x.tenant, x.user_id, s_tenant[i], s_user[i]);
      refusals[i] := json_build_object('head', r.head, 'ended', r.ended, 'outcome',
        case when r.head is null then 'missing' when r.ended is not null then 'ended'
          when s_expected[i] <> r.head then 'conflict'
          when s_run[i] is not null and s_run[i] is distinct from r.run_generation then 'lost' when r.waits_until > now() then 'wait' else 'again' end);
      if r.waits_until <= now() then
        -- The decision that held appends back is gone.
        update sessions x
        set appends_wait_until = null
        where x.partition = s_partition[i] and x.id = s_id[i] and x.appends_wait_until = r.waits_until;
      end if;
    end loop;
    refused := array_to_json(refusals);
  end if;

  if written > 0 then
    if written < n or s_tenant[1] is distinct from s_tenant[n] then
      -- Each session was checked in the scope of its caller; now one statement writes all of them.
      v_tenant_scope := set_config('throughline.tenant', '*', true);
    end if;
    if n = 1 then
      -- Many appends to one session, without a look into five arrays for each event.
      v_partition := partitions[1];
      v_session := s_id[1];
      v_before := before[1];
      v_tenant := tenants[1];
      v_at := s_at[1];
      insert into session_events
        (partition, session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at,
        checksum)
      select v_partition, v_session, v_before + e.place, e.id, v_tenant, e.type, e.role, e.content, e.parts, e.agent,
        e.occurred, coalesce(e.at, v_at), e.checksum
      from unnest(e_place, e_at, e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred, e_checksum)
        as e (place, at, id, type, role, content, parts, agent, occurred, checksum);
    else
      insert into session_events
        (partition, session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at,
        checksum)
      select partitions[e.session], s_id[e.session], before[e.session] + e.place, e.id, tenants[e.session], e.type, e.role,
        e.content, e.parts, e.agent, e.occurred, coalesce(e.at, s_at[e.session]), e.checksum
      from unnest(e_session, e_place, e_at, e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred, e_checksum)
        as e (session, place, at, id, type, role, content, parts, agent, occurred, checksum)
      where before[e.session] is not null;
    end if;

    if cardinality(unmarked_sessions) > 0 then
      -- Computed first: under row level security only a plain value is used in an index condition.
      blocks := array(select (before[e.session] + e.place) / 256 from unnest(e_session, e_place) as e (session, place));
      insert into session_types (partition, session_id, tenant, type, block)
      select distinct partitions[e.session], s_id[e.session], tenants[e.session], e.type, e.block
      from unnest(e_session, e_type, blocks) as e (session, type, block)
      where e.session = any (unmarked_sessions) and not exists (
        select 1
        from session_types x
        where x.partition = partitions[e.session] and x.session_id = s_id[e.session] and x.type = e.type and x.block = e.block
      )
      on conflict do nothing;
      ids := array(select s_id[i] from unnest(unmarked_sessions) as i where s_type[i] is not null);
      update sessions x
      set marked_types = case when starts_with(x.marked_types, (x.head / 256)::text || ' ') then x.marked_types
          else (x.head / 256)::text || ' ' end
        || s_type[array_position(s_id, x.id)] || ' '
      where x.id = any (ids) and x.partition = any (partitions)
        and (length(x.marked_types) < 400 or not starts_with(x.marked_types, (x.head / 256)::text || ' '));
    end if;

    if cardinality(k_session) > 0 then
      insert into session_keys (partition, session_id, tenant, key, fingerprint, first_sequence, last_sequence)
      select partitions[k.session], s_id[k.session], tenants[k.session], k.key, k.fingerprint, before[k.session] + k.place,
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

-- Bytes of an event. The text of JSON is the one that was written.
create function context.event_bytes(p_content text, p_parts json) returns integer
language sql immutable parallel safe as $$
  select octet_length(p_content) + coalesce(octet_length(p_parts::text), 0)
$$;

-- Bytes of several events.
create function context.event_bytes(e_content text[], e_parts json[]) returns bigint
language sql immutable parallel safe as $$
  select coalesce(sum(context.event_bytes(e.content, e.parts)), 0) from unnest(e_content, e_parts) as e (content, parts)
$$;

-- Inserts events after p_head, with the key that wrote them. Checks nothing. A single event needs no arrays.
create function context.insert_events(
  p_partition smallint, p_session uuid, p_tenant text, p_head integer, p_at timestamptz, p_key text, p_fingerprint text,
  e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[],
  e_checksum bytea[]
)
returns void
language plpgsql as $$
begin
  if cardinality(e_id) = 1 then
    insert into session_events
      (partition, session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at,
      checksum)
    values (p_partition, p_session, p_head + 1, e_id[1], p_tenant, e_type[1], e_role[1], e_content[1], e_parts[1],
      e_agent[1], e_occurred[1], p_at, e_checksum[1]);
    insert into session_types (partition, session_id, tenant, type, block)
    values (p_partition, p_session, p_tenant, e_type[1], (p_head + 1) / 256)
    on conflict do nothing;
  else
    insert into session_events
      (partition, session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at,
      checksum)
    select p_partition, p_session, p_head + e.n, e.id, p_tenant, e.type, e.role, e.content, e.parts, e.agent, e.occurred,
      p_at, e.checksum
    from unnest(e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred, e_checksum)
      with ordinality as e (id, type, role, content, parts, agent, occurred, checksum, n);

    insert into session_types (partition, session_id, tenant, type, block)
    select distinct p_partition, p_session, p_tenant, e.type, ((p_head + e.n) / 256)::integer
    from unnest(e_type) with ordinality as e (type, n)
    on conflict do nothing;
  end if;

  if p_key is not null then
    insert into session_keys (partition, session_id, tenant, key, fingerprint, first_sequence, last_sequence)
    values (p_partition, p_session, p_tenant, p_key, p_fingerprint, p_head + 1, p_head + cardinality(e_id));
  end if;
end $$;

-- Marks a type in the block of a sequence. p_marked_types is the value of sessions.marked_types.
create function context.mark_type(
  p_partition smallint, p_session uuid, p_tenant text, p_type text, p_sequence integer, p_marked_types text
)
returns void
language plpgsql as $$
declare
  v_block text := (p_sequence / 256)::text || ' ';
begin
  insert into session_types (partition, session_id, tenant, type, block)
  values (p_partition, p_session, p_tenant, p_type, p_sequence / 256)
  on conflict do nothing;
  update sessions x
  set marked_types = case when starts_with(p_marked_types, v_block) then p_marked_types else v_block end || p_type || ' '
  where x.partition = p_partition and x.id = p_session
    and (length(p_marked_types) < 400 or not starts_with(p_marked_types, v_block));
end $$;

-- A text of up to p_most bytes; else null. Its length is known without reading it.
create function context.short_content(p_content text, p_most integer) returns text
language sql immutable as $$
  select case when octet_length(p_content) <= p_most then p_content end
$$;

-- JSON of up to p_most bytes as text, else an empty text. Its size on disk is known without reading it; what takes 500
-- bytes there is small enough, compressed or not.
create function context.short_parts(p_parts json, p_most integer) returns text
language sql stable as $$
  select case
    when pg_column_size(p_parts) <= 500 then p_parts::text
    when pg_column_size(p_parts) > p_most or octet_length(p_parts::text) > p_most then ''
    else p_parts::text
  end
$$;

-- Reads one page from either end. With p_types it goes from block to block. With p_turns the page ends with the event
-- that starts that turn, and never goes behind the last clear: it finds the window first and reads it as a whole, which
-- costs less than a loop over its events. Texts of more than p_inline bytes are left out: content is null or parts are
-- empty, and read_texts returns them. p_hidden: bounds of ranges to leave out; without it, p_line and p_turns leave out
-- the hidden ranges of the session. Stable, so one call sees one snapshot.
create function context.read_events(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_after integer, p_before integer,
  p_newest_first boolean, p_limit integer, p_types text[], p_turns integer, p_inline integer, p_line boolean,
  p_hidden integer[]
)
returns setof context.event_row
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  s record;
  r event_row;
  b integer;
  low integer := p_after;
  returned integer := 0;
  v_hidden integer[] := p_hidden;
  v_tenant_scope text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  select x.tenant, x.user_id, x.cleared_at, x.hidden
  into s
  from sessions x
  where x.partition = p_partition and x.id = p_session;
  if s.tenant is null or not can_access(s.tenant, s.user_id, p_tenant, p_user) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  if v_hidden is null and (p_line or p_turns is not null) then
    v_hidden := s.hidden;
  end if;
  if cardinality(v_hidden) > 0 then
    return query
      select *
      from read_spans(p_partition, p_session, p_tenant, p_user, p_after, p_before, p_newest_first, p_limit, p_types,
        p_turns, p_inline, v_hidden);
    return;
  end if;

  if p_types is not null then
    for b in
      select distinct x.block * case when p_newest_first then -1 else 1 end
      from session_types x
      where x.partition = p_partition and x.session_id = p_session and x.type = any (p_types)
        and x.block between (p_after + 1) / 256 and (p_before - 1) / 256
      order by 1
    loop
      for r in
        select x.sequence, x.id, x.type, x.role, short_content(x.content, p_inline), short_parts(x.parts, p_inline),
          x.agent_id, x.occurred_at, x.created_at
        from session_events x
        where x.partition = p_partition and x.session_id = p_session and x.sequence > p_after and x.sequence < p_before
          and x.sequence between abs(b) * 256 and abs(b) * 256 + 255 and x.type = any (p_types)
        order by x.sequence * case when p_newest_first then -1 else 1 end
      loop
        return next r;
        returned := returned + 1;
        if returned = p_limit then
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
            where x.partition = p_partition and x.session_id = p_session and x.sequence > low and x.sequence < p_before
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
      select x.sequence, x.id, x.type, x.role, short_content(x.content, p_inline), short_parts(x.parts, p_inline),
        x.agent_id, x.occurred_at, x.created_at
      from session_events x
      where x.partition = p_partition and x.session_id = p_session and x.sequence > low and x.sequence < p_before
      order by x.sequence desc
      limit p_limit;
  else
    return query
      select x.sequence, x.id, x.type, x.role, short_content(x.content, p_inline), short_parts(x.parts, p_inline),
        x.agent_id, x.occurred_at, x.created_at
      from session_events x
      where x.partition = p_partition and x.session_id = p_session and x.sequence > p_after and x.sequence < p_before
      order by x.sequence
      limit p_limit;
  end if;
end $$;

-- Like read_events, from each span between hidden ranges to the next. Reads no hidden event.
create function context.read_spans(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_after integer, p_before integer,
  p_newest_first boolean, p_limit integer, p_types text[], p_turns integer, p_inline integer, p_hidden integer[]
)
returns setof context.event_row
language plpgsql stable security definer set search_path = context, pg_temp set jit = off as $$
declare
  r event_row;
  -- Both ends of each span, exclusive.
  bounds integer[] := 0 || p_hidden || p_before;
  n integer;
  low integer;
  high integer;
  missing integer := p_limit;
  turns integer := p_turns;
begin
  for i in 1 .. cardinality(bounds) / 2 loop
    n := case when p_newest_first then cardinality(bounds) / 2 + 1 - i else i end;
    low := greatest(p_after, bounds[2 * n - 1]);
    high := least(p_before, bounds[2 * n]);
    continue when high - 1 <= low;
    for r in
      select *
      from read_events(p_partition, p_session, p_tenant, p_user, low, high, p_newest_first, missing, p_types, turns,
        p_inline, false, '{}')
    loop
      return next r;
      missing := missing - 1;
      if r.type = 'user_message' then
        turns := turns - 1;
      end if;
    end loop;
    exit when missing = 0 or turns = 0;
  end loop;
end $$;

-- Checksums of a range in sequence order, as hex digits.
create function context.read_checksums(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_after integer, p_before integer
)
returns setof text
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  perform set_tenant(p_tenant);
  if not exists (
    select 1
    from sessions x
    where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user)
  ) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  return query
    select encode(x.checksum, 'hex')
    from session_events x
    where x.partition = p_partition and x.session_id = p_session and x.sequence > p_after and x.sequence < p_before
    order by x.sequence;
end $$;

-- The texts of events in the given order, up to the one with which they have p_size characters.
create function context.read_texts(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_sequences integer[], p_size integer
)
returns table (sequence integer, content text, parts text)
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  s record;
  n integer;
  size bigint := 0;
  v_tenant_scope text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  select x.tenant, x.user_id into s from sessions x where x.partition = p_partition and x.id = p_session;
  if s.tenant is null or not can_access(s.tenant, s.user_id, p_tenant, p_user) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  foreach n in array p_sequences loop
    select x.sequence, x.content, x.parts::text into read_texts.sequence, read_texts.content, read_texts.parts
    from session_events x
    where x.partition = p_partition and x.session_id = p_session and x.sequence = n;
    return next;
    size := size + length(content) + coalesce(length(parts), 0);
    exit when size >= p_size;
  end loop;
end $$;

-- Events of the user's sessions at the given places, in the given order, up to the one with which they have p_size
-- characters.
create function context.events_at(
  p_partition smallint, p_tenant text, p_user text, p_session uuid[], p_sequence integer[], p_size integer
)
returns table (
  session_id uuid, sequence integer, id uuid, type text, role text, content text, parts text, agent_id text,
  occurred_at text, created_at timestamptz
)
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
declare
  size bigint := 0;
begin
  perform set_tenant(p_tenant);
  -- one by one, to read no more of them than fit
  for i in 1 .. cardinality(p_session) loop
    select x.session_id, x.sequence, x.id, x.type, x.role, x.content, x.parts::text, x.agent_id, x.occurred_at, x.created_at
    into session_id, sequence, id, type, role, content, parts, agent_id, occurred_at, created_at
    from sessions s
    join session_events x on x.partition = s.partition and x.session_id = s.id and x.sequence = p_sequence[i]
    where s.partition = p_partition and s.id = p_session[i] and s.tenant = p_tenant and s.user_id = p_user;
    continue when not found;
    return next;
    size := size + length(content) + coalesce(length(parts), 0);
    exit when size >= p_size;
  end loop;
end $$;
