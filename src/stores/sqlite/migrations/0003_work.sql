-- The work of a session: where it stands, the relations it found, and the commits of conversations.
alter table sessions add column last_work text;
alter table sessions add column commit_id text;
alter table sessions add column commit_position integer;
-- 1: it ended in a way that leaves a commit, and has none yet.
alter table sessions add column awaits_commit integer not null default 0;

update sessions
set awaits_commit = 1
where ended_at is not null and (state = 'aborted' or status ->> 'endedBy' is null);

-- What a sweep looks for, over all tenants. By the minute, as the lists are.
create index sessions_due on sessions (activity_minute, id) where ended_at is null;
create index sessions_expiring on sessions (expires_at, id) where ended_at is null and expires_at is not null;
create index sessions_uncommitted on sessions (ended_at, id) where awaits_commit = 1;

-- A view of the log, as session_state is: each row comes from the event with its sequence.
create table session_edges (
  session_id text    not null,
  from_node  text    not null,
  label      text    not null,
  to_node    text    not null,
  sequence   integer not null,
  evidence   text    not null,
  primary key (session_id, from_node, label, to_node, sequence)
) strict, without rowid;

create index session_edges_reverse on session_edges (session_id, to_node, label, from_node, sequence);

-- One row for each commit. It outlives its session, and holds nothing of what was said in it.
create table conversation_commits (
  tenant          text    not null,
  conversation_id text    not null,
  position        integer not null,
  commit_id       text    not null,
  session_id      text    not null,
  user_id         text    not null,
  made_at         text    not null,
  purged_at       text,
  primary key (tenant, conversation_id, position)
) strict, without rowid;

create index conversation_commits_session on conversation_commits (session_id);
