-- The envelope of each session, a view of the log like session_state, and the switch that pauses the intake of
-- sessions.

-- metadata and analysis are json, which keeps the text as written; cast them to jsonb to query them.
create table context.session_envelopes (
  partition  smallint    not null,
  session_id uuid        not null,
  persona_id text        not null default '',
  tenant     text        not null,
  subject    text        not null,
  issuer     text,
  scope      text,
  metadata   json        not null default '{}',
  analysis   json        not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The last backfill that wrote it.
  batch      text,
  -- The event it was folded up to. It is current while this equals sessions.envelope_at.
  sequence   integer     not null,
  primary key (partition, session_id)
);

create index session_envelopes_batch on context.session_envelopes (batch, session_id) where batch is not null;
create index session_envelopes_updated on context.session_envelopes (updated_at);

-- Shared by all tenants, so without row level security and without a partition: each node has its own.
create table context.settings (
  name  text not null primary key,
  value text not null
);

-- All views of a session, without what only the functions use. The envelope's columns are null if it is missing or
-- outdated.
create view context.session_views with (security_invoker = true) as
  select s.partition, s.id, s.tenant, s.user_id, s.conversation_id, s.chatmode, s.workflow, s.skill, s.git_branch, s.task, s.state,
    s.status, s.active_agent, s.head, s.turns, s.cleared_at, s.hidden, s.decision_version, s.started_at, s.last_activity_at,
    s.activity_minute, s.ended_at, s.expires_at, s.metadata, s.forked_from, s.last_work, s.commit_id, s.commit_position,
    s.awaits_commit, s.envelope_at, s.parent_id, s.parent_sequence, s.usage, s.run, s.lease_until, s.requests, s.requests_at,
    st.scratchpad, st.version, st.updated_at, e.persona_id as envelope_persona_id,
    e.tenant as envelope_tenant, e.subject as envelope_subject, e.issuer as envelope_issuer, e.scope as envelope_scope,
    e.metadata as envelope_metadata, e.analysis as envelope_analysis, e.created_at as envelope_created_at,
    e.updated_at as envelope_updated_at, e.batch as envelope_batch
  from context.sessions s
  join context.session_state st on st.partition = s.partition and st.session_id = s.id
  left join context.session_envelopes e
    on e.partition = s.partition and e.session_id = s.id and e.sequence = s.envelope_at;

-- The envelope alone.
create view context.envelope_views with (security_invoker = true) as
  select s.partition, s.id, s.envelope_at, e.persona_id as envelope_persona_id,
    e.tenant as envelope_tenant, e.subject as envelope_subject, e.issuer as envelope_issuer, e.scope as envelope_scope,
    e.metadata as envelope_metadata, e.analysis as envelope_analysis, e.created_at as envelope_created_at,
    e.updated_at as envelope_updated_at, e.batch as envelope_batch
  from context.sessions s
  left join context.session_envelopes e
    on e.partition = s.partition and e.session_id = s.id and e.sequence = s.envelope_at;

-- Sets updated_at for statements by hand; our own set it themselves, together with another sequence. Citus distributes
-- a table with a trigger only if citus.enable_unsafe_triggers is on; drop the trigger there.
create function context.set_envelope_updated_at() returns trigger
language plpgsql as $$
begin
  new.updated_at := now();
  return new;
end $$;

create trigger set_updated_at before update on context.session_envelopes
for each row when (new.sequence = old.sequence and new.updated_at = old.updated_at)
execute function context.set_envelope_updated_at();

-- Stores the envelope of a view, folded up to p_sequence. A view without an envelope changes nothing.
create function context.write_envelope(
  p_partition smallint, p_session uuid, p_tenant text, p_sequence integer, e context.input_envelope
)
returns void
language plpgsql as $$
declare
  d context.input_document := e.document;
begin
  if d.subject is null then
    return;
  end if;
  insert into session_envelopes (
    partition, session_id, persona_id, tenant, subject, issuer, scope, metadata, analysis, created_at, updated_at, batch,
    sequence
  ) values (
    p_partition, p_session, d.persona_id, p_tenant, d.subject, d.issuer, d.scope, d.metadata, d.analysis,
    (d.timestamps).created_at, (d.timestamps).updated_at, e.batch, p_sequence
  )
  on conflict (partition, session_id) do update
  set persona_id = excluded.persona_id, tenant = excluded.tenant, subject = excluded.subject, issuer = excluded.issuer,
      scope = excluded.scope, metadata = excluded.metadata, analysis = excluded.analysis,
      created_at = excluded.created_at, updated_at = excluded.updated_at, batch = excluded.batch,
      sequence = excluded.sequence;
end $$;

create function context.write_envelope(
  p_partition smallint, p_session uuid, p_tenant text, p_sequence integer, p_view json
)
returns void
language plpgsql as $$
begin
  perform write_envelope(
    p_partition, p_session, p_tenant, p_sequence,
    json_populate_record(null::context.input_envelope, p_view -> 'envelope')
  );
end $$;

-- Reads envelopes of all users after p_after, in order of session.
create function context.list_envelopes(p_partition smallint, p_after uuid, p_limit integer)
returns setof context.envelope_views
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_sort = off as $$
begin
  perform set_tenant(null);
  return query
    select v.*
    from envelope_views v
    where v.id >= coalesce(p_after, '00000000-0000-0000-0000-000000000000') and v.id is distinct from p_after
    order by v.id
    limit p_limit;
end $$;

-- OFFSET 0 keeps the lookups by key.
create function context.find_envelopes(p_partition smallint, p_ids uuid[]) returns setof context.envelope_views
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off as $$
begin
  perform set_tenant(null);
  return query
    select f.*
    from unnest(p_ids) as p (id)
    cross join lateral (
      select v.* from envelope_views v where v.id = p.id offset 0
    ) f;
end $$;

-- Counts the envelopes of a batch or, with p_batch null, those written at or after p_since.
create function context.count_envelopes(p_partition smallint, p_batch text, p_since timestamptz) returns bigint
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
begin
  perform set_tenant(null);
  if p_batch is not null then
    return (select count(*) from session_envelopes x where x.batch = p_batch);
  end if;
  return (select count(*) from session_envelopes x where x.updated_at >= p_since);
end $$;

-- Deletes the first p_limit of them and returns their sessions. An envelope written again meanwhile stays.
create function context.remove_envelopes(p_partition smallint, p_batch text, p_since timestamptz, p_limit integer)
returns setof uuid
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform set_tenant(null);
  if p_batch is not null then
    return query
      with chosen as (
        select x.partition, x.session_id from session_envelopes x where x.batch = p_batch order by x.session_id limit p_limit
      ), deleted as (
        delete from session_envelopes x using chosen c
        where x.partition = c.partition and x.session_id = c.session_id and x.batch = p_batch
        returning x.session_id
      )
      select g.session_id from deleted g order by g.session_id;
  else
    return query
      with chosen as (
        select x.partition, x.session_id
        from session_envelopes x
        where x.updated_at >= p_since
        order by x.session_id
        limit p_limit
      ), deleted as (
        delete from session_envelopes x using chosen c
        where x.partition = c.partition and x.session_id = c.session_id and x.updated_at >= p_since
        returning x.session_id
      )
      select g.session_id from deleted g order by g.session_id;
  end if;
end $$;

-- Throws TL003 while the intake is paused, with the start of the pause as its detail. A pause waits for the
-- transactions that passed this check, so none of their sessions appears after it.
create function context.check_intake() returns void
language plpgsql as $$
declare
  v_since text;
begin
  perform pg_advisory_xact_lock_shared(474700002);
  select x.value into v_since from settings x where x.name = 'intake-paused-since';
  if found then
    raise exception using errcode = 'TL003', message = 'the intake of sessions is paused', detail = v_since;
  end if;
end $$;

create function context.paused_since(p_partition smallint) returns text
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  return (select x.value from settings x where x.name = 'intake-paused-since');
end $$;

-- Keeps the first candidate and returns it, on the node of the partition.
create function context.store_secret(p_partition smallint, p_candidate text) returns text
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_secret text := (select x.value from settings x where x.name = 'id-secret');
begin
  if v_secret is not null then
    return v_secret;
  end if;
  insert into settings (name, value) values ('id-secret', p_candidate) on conflict do nothing;
  return (select x.value from settings x where x.name = 'id-secret');
end $$;

-- Pauses or, with p_since null, resumes the intake on the node of the partition.
create function context.pause_intake(p_partition smallint, p_since text) returns void
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform pg_advisory_xact_lock(474700002);
  if p_since is null then
    delete from settings x where x.name = 'intake-paused-since';
  else
    insert into settings (name, value) values ('intake-paused-since', p_since) on conflict do nothing;
  end if;
end $$;
