-- One row for each session: its record, where it stands, and how far its log reaches.
-- Times are ISO 8601 text in UTC, so that they sort as text and read well in any SQLite shell.
create table sessions (
  id               text    not null primary key,
  tenant           text    not null,
  user_id          text    not null,
  conversation_id  text    not null,
  chatmode         text    not null,
  workflow         text,
  skill            text,
  git_branch       text,
  task             text,
  state            text    not null,
  status           text    not null,
  active_agent     text    not null,
  head             integer not null,
  turns            integer not null,
  cleared_at       integer not null,
  started_at       text    not null,
  last_activity_at text    not null,
  -- Minute of last_activity_at. Lists are indexed by it: an index on the exact time would be rewritten by each append.
  activity_minute  integer not null,
  ended_at         text,
  expires_at       text,
  metadata         text    not null,
  forked_from      text
) strict, without rowid;

create unique index sessions_one_active on sessions (tenant, user_id, chatmode, conversation_id) where ended_at is null;
create index sessions_active on sessions (tenant, user_id, chatmode, started_at, id) where ended_at is null;
create index sessions_activity on sessions (tenant, activity_minute);
create index sessions_user on sessions (tenant, user_id, activity_minute);
create index sessions_state on sessions (tenant, state, activity_minute);
create index sessions_chatmode on sessions (tenant, chatmode, activity_minute);
create index sessions_agent on sessions (tenant, active_agent, activity_minute);
create index sessions_conversation on sessions (tenant, conversation_id, activity_minute);

create table session_state (
  session_id text    not null primary key,
  scratchpad text    not null,
  version    integer not null,
  updated_at text    not null
) strict, without rowid;

-- The log. Without rowid the events of a session lie side by side, so a window is read from few pages.
create table session_events (
  session_id  text    not null,
  sequence    integer not null,
  id          text    not null,
  type        text    not null,
  role        text    not null,
  content     text    not null,
  parts       text,
  agent_id    text,
  occurred_at text,
  created_at  text    not null,
  primary key (session_id, sequence)
) strict, without rowid;

-- Which types occur in which block of 256 sequences. Reads by type go from block to block, so a rare type is found
-- without a walk through the log. An index on the events would cost each append another page and 60 bytes.
create table session_types (
  session_id text    not null,
  type       text    not null,
  block      integer not null,
  primary key (session_id, type, block)
) strict, without rowid;

create table session_keys (
  session_id     text    not null,
  key            text    not null,
  fingerprint    text    not null,
  first_sequence integer not null,
  last_sequence  integer not null,
  primary key (session_id, key)
) strict, without rowid;

-- A session listed here is being purged: only then may its events be deleted.
create table session_purges (
  session_id text not null primary key
) strict, without rowid;

create trigger session_events_no_update before update on session_events
begin
  select raise(abort, 'events are append-only: they cannot be changed');
end;

create trigger session_events_no_delete before delete on session_events
when not exists (select 1 from session_purges where session_id = old.session_id)
begin
  select raise(abort, 'events are append-only: only a purge removes them');
end;

-- INSERT OR REPLACE deletes without firing the trigger above.
create trigger session_events_no_replace before insert on session_events
when exists (select 1 from session_events where session_id = new.session_id and sequence = new.sequence)
begin
  select raise(abort, 'events are append-only: this sequence is taken');
end;
