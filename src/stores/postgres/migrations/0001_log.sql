-- Every key of a per-session table contains the session id, so that the tables can be distributed by it.
create schema if not exists context;

create table context.sessions (
  id               uuid        not null primary key,
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
  -- Moved by decisions alone, so that plain appends never make one stale.
  decision_version integer     not null default 0,
  started_at       timestamptz not null,
  last_activity_at timestamptz not null,
  -- Minute of last_activity_at. Lists are indexed by it: an index on the exact time would keep every append from being
  -- a HOT update.
  activity_minute  integer     not null,
  ended_at         timestamptz,
  expires_at       timestamptz,
  metadata         json        not null,
  forked_from      json
) with (fillfactor = 80);

create index sessions_active on context.sessions (tenant, user_id, chatmode, started_at, id) where ended_at is null;
create index sessions_activity on context.sessions (tenant, activity_minute);
create index sessions_user on context.sessions (tenant, user_id, activity_minute);
create index sessions_state on context.sessions (tenant, state, activity_minute);
create index sessions_chatmode on context.sessions (tenant, chatmode, activity_minute);
create index sessions_agent on context.sessions (tenant, active_agent, activity_minute);
create index sessions_conversation on context.sessions (tenant, conversation_id, activity_minute);

-- The live session of each scope. A partial unique index on sessions could not be distributed.
create table context.session_slots (
  tenant          text not null,
  user_id         text not null,
  chatmode        text not null,
  conversation_id text not null,
  session_id      uuid not null,
  primary key (tenant, user_id, chatmode, conversation_id)
);

create table context.session_state (
  session_id uuid        not null primary key,
  tenant     text        not null,
  scratchpad json        not null,
  version    integer     not null,
  updated_at timestamptz not null
);

-- parts is json, which keeps the text as it was written; cast it to jsonb to query it.
create table context.session_events (
  session_id  uuid        not null,
  sequence    integer     not null,
  id          uuid        not null,
  tenant      text        not null,
  type        text        not null,
  role        text        not null,
  content     text        not null,
  parts       json,
  agent_id    text,
  occurred_at text,
  created_at  timestamptz not null,
  primary key (session_id, sequence)
);

-- Which types occur in which block of 256 sequences, for reads by type.
create table context.session_types (
  session_id uuid    not null,
  tenant     text    not null,
  type       text    not null,
  block      integer not null,
  primary key (session_id, type, block)
);

create table context.session_keys (
  session_id     uuid    not null,
  tenant         text    not null,
  key            text    not null,
  fingerprint    text    not null,
  first_sequence integer not null,
  last_sequence  integer not null,
  primary key (session_id, key)
);

create view context.session_views with (security_invoker = true) as
  select s.*, st.scratchpad, st.version, st.updated_at
  from context.sessions s
  join context.session_state st on st.session_id = s.id;

-- The second wall. '*' is the operator, who sees every tenant; unset is nobody.
do $$
declare
  name text;
begin
  foreach name in array array['sessions', 'session_slots', 'session_state', 'session_events', 'session_types', 'session_keys'] loop
    execute format('alter table context.%I enable row level security', name);
    execute format('alter table context.%I force row level security', name);
    execute format(
      'create policy tenant on context.%I using (current_setting(''throughline.tenant'', true) in (''*'', tenant))',
      name
    );
  end loop;
end $$;

-- Roles belong to the whole cluster, so another database may have made them.
do $$
declare
  name text;
begin
  foreach name in array array['throughline_app', 'throughline_functions', 'throughline_purge'] loop
    begin
      execute format('create role %I nologin', name);
    exception when duplicate_object or unique_violation then
      null;
    end;
    execute format('grant %I to current_user', name);
  end loop;
end $$;

-- throughline_app: what a login role is a member of. It calls functions and touches no table.
-- throughline_functions: owns the functions. No UPDATE or DELETE on events, no DELETE on sessions.
-- throughline_purge: owns the one function that removes.
grant usage on schema context to throughline_app;
grant usage, create on schema context to throughline_functions, throughline_purge;
grant select, insert on all tables in schema context to throughline_functions;
grant update on context.sessions, context.session_state to throughline_functions;
grant delete on context.session_slots to throughline_functions;
grant select, delete on all tables in schema context to throughline_purge;
