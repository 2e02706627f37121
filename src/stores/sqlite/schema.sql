CREATE TABLE conversation_commits (
  chain           text    not null,
  position        integer not null,
  tenant          text    not null,
  conversation_id text    not null,
  commit_id       text    not null,
  session_id      text    not null,
  user_id         text    not null,
  made_at         text    not null,
  purged_at       text,
  primary key (chain, position)
) strict, without rowid;

CREATE TABLE hidden_sessions (
  session_id text not null primary key,
  tenant     text not null,
  user_id    text not null,
  fork_event text,
  touched_at text not null
) strict, without rowid;

CREATE TABLE memories (
  number        integer not null primary key,
  id            text    not null,
  tenant        text    not null,
  user_id       text    not null,
  category      text    not null,
  content       text    not null,
  scope         text,
  source_type   text    not null default 'explicit',
  confidence    real    not null default 0.8,
  lineage       text    not null default '[]',
  use_count     integer not null default 0,
  created_at    text    not null,
  last_used_at  text,
  expires_at    text,
  superseded_by text,
  superseded_at text,
  metadata      text,
  fingerprint   text,
  index_version integer not null default 0,
  unique (tenant, user_id, id)
) strict;

CREATE VIRTUAL TABLE memories_fts using fts5 (
  content, content = 'memories', content_rowid = 'number', tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TABLE 'memories_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE TABLE 'memories_fts_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'memories_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB);

CREATE TABLE 'memories_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE memory_history (
  memory     integer not null,
  version    integer not null,
  at         text    not null,
  change     text    not null,
  confidence real    not null,
  source     text,
  note       text,
  by_memory  text,
  primary key (memory, version)
) strict, without rowid;

CREATE TABLE memory_keys (
  tenant      text not null,
  user_id     text not null,
  key         text not null,
  fingerprint text not null,
  response    text not null,
  at          text not null,
  primary key (tenant, user_id, key)
) strict, without rowid;

CREATE TABLE memory_sources (
  tenant    text not null,
  user_id   text not null,
  key       text not null,
  memory_id text not null,
  primary key (tenant, user_id, key, memory_id)
) strict, without rowid;

CREATE TABLE recall_blocks (
  corpus_id     integer not null,
  session_id    blob    not null,
  block         integer not null,
  messages      integer not null,
  length        integer not null,
  long_messages integer not null,
  terms         text    not null,
  unique (corpus_id, session_id, block)
) strict;

CREATE TABLE recall_corpora (
  id            integer not null primary key,
  tenant        text    not null,
  user_id       text    not null,
  corpus        text    not null,
  messages      integer not null default 0,
  terms         integer not null default 0,
  long_messages integer not null default 0,
  unique (tenant, user_id, corpus)
) strict;

CREATE TABLE recall_messages (
  corpus_id  integer not null,
  session_id blob    not null,
  turn       integer not null,
  sequence   integer not null,
  is_commit  integer not null,
  speaker    text    not null,
  time       integer not null,
  length     integer not null,
  asked      integer not null,
  specifics  integer not null,
  times      integer not null,
  counts     integer not null,
  primary key (corpus_id, session_id, turn)
) strict, without rowid;

CREATE TABLE recall_postings (
  corpus_id  integer not null,
  term       text    not null,
  session_id blob    not null,
  block      integer not null,
  messages   integer not null,
  data       blob    not null,
  primary key (corpus_id, term, session_id, block)
) strict, without rowid;

CREATE TABLE recall_speakers (
  corpus_id integer not null,
  speaker   text    not null,
  messages  integer not null,
  primary key (corpus_id, speaker)
) strict, without rowid;

CREATE TABLE recall_terms (
  corpus_id integer not null,
  term      text    not null,
  messages  integer not null,
  primary key (corpus_id, term)
) strict, without rowid;

CREATE TABLE session_edges (
  session_id text    not null,
  from_node  text    not null,
  label      text    not null,
  to_node    text    not null,
  sequence   integer not null,
  tools      text    not null default '',
  evidence   text    not null,
  primary key (session_id, from_node, label, to_node, sequence, tools)
) strict, without rowid;

CREATE TABLE session_envelopes (
  session_id text    not null primary key,
  persona_id text    not null,
  tenant     text    not null,
  subject    text    not null,
  issuer     text,
  scope      text,
  metadata   text    not null,
  analysis   text    not null,
  created_at text    not null,
  updated_at text    not null,
  batch      text,
  sequence   integer not null
) strict, without rowid;

CREATE TABLE session_events (
  session_id  text    not null,
  sequence    integer not null,
  id          text    not null,
  type        text    not null,
  role        text    not null,
  content     text,
  parts       text,
  agent_id    text,
  occurred_at text,
  created_at  text    not null,
  checksum    blob    not null,
  primary key (session_id, sequence)
) strict, without rowid;

CREATE TABLE session_imports (
  session_id text    not null primary key,
  tenant     text    not null,
  user_id    text    not null,
  head       integer not null,
  bytes      integer not null default 0,
  view       text    not null
) strict, without rowid;

CREATE TABLE session_keys (
  session_id     text    not null,
  key            text    not null,
  fingerprint    text    not null,
  first_sequence integer not null,
  last_sequence  integer not null,
  primary key (session_id, key)
) strict, without rowid;

CREATE TABLE session_labels (
  session_id text not null,
  label      text not null,
  tenant     text not null,
  user_id    text not null,
  primary key (session_id, label)
) strict, without rowid;

CREATE TABLE session_marks (
  session_id text    not null primary key,
  indexed    integer not null default 0,
  turns      integer not null default 0,
  version    integer not null default 0,
  extracted  integer not null default 0
) strict, without rowid;

CREATE TABLE session_purges (
  session_id text not null primary key
) strict, without rowid;

CREATE TABLE session_state (
  session_id text    not null primary key,
  scratchpad text    not null,
  version    integer not null,
  updated_at text    not null
) strict, without rowid;

CREATE TABLE session_texts (
  id         integer primary key,
  session_id text    not null,
  sequence   integer not null,
  content    text    not null,
  parts      text,
  unique (session_id, sequence)
) strict;

CREATE TABLE session_types (
  session_id text    not null,
  type       text    not null,
  block      integer not null,
  primary key (session_id, type, block)
) strict, without rowid;

CREATE TABLE session_usage (
  session_id         text    not null,
  day                text    not null,
  model              text    not null,
  tenant             text    not null,
  user_id            text    not null,
  messages           integer not null,
  input_tokens       integer not null,
  output_tokens      integer not null,
  cache_read_tokens  integer not null,
  cache_write_tokens integer not null,
  cost_nano          integer not null,
  primary key (session_id, day, model)
) strict, without rowid;

CREATE TABLE session_work_marks (
  session_id text    not null,
  tools      text    not null,
  sequence   integer not null,
  state      text    not null,
  primary key (session_id, tools)
) strict, without rowid;

CREATE TABLE sessions (
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
  bytes            integer not null default 0,
  cleared_at       integer not null,
  hidden           text,
  started_at       text    not null,
  last_activity_at text    not null,
  activity_minute  integer not null,
  ended_at         text,
  expires_at       text,
  metadata         text    not null,
  forked_from      text,
  last_work        text,
  commit_id        text,
  commit_position  integer,
  awaits_commit    integer not null default 0,
  envelope_at      integer not null default 1,
  parent_id        text,
  parent_sequence  integer,
  usage            text,
  run_generation   integer,
  lease_until      text,
  due_at           text,
  requests_at      text,
  run              text,
  requests         text
) strict, without rowid;

CREATE TABLE settings (
  name  text not null primary key,
  value text not null
) strict, without rowid;

CREATE TABLE throughline_migrations (
    version    integer not null primary key,
    name       text    not null,
    checksum   text    not null,
    applied_at text    not null default (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
  ) strict;

CREATE TRIGGER memories_fts_delete after delete on memories
begin
  insert into memories_fts (memories_fts, rowid, content) values ('delete', old.number, old.content);
end;

CREATE TRIGGER memories_fts_insert after insert on memories
begin
  insert into memories_fts (rowid, content) values (new.number, new.content);
end;

CREATE TRIGGER memories_fts_update after update of content on memories
when old.content <> new.content
begin
  insert into memories_fts (memories_fts, rowid, content) values ('delete', old.number, old.content);
  insert into memories_fts (rowid, content) values (new.number, new.content);
end;

CREATE TRIGGER session_envelopes_updated_at after update on session_envelopes
when new.sequence = old.sequence and new.updated_at = old.updated_at
begin
  update session_envelopes
  set updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  where session_id = new.session_id;
end;

CREATE TRIGGER session_events_no_delete before delete on session_events
when not exists (select 1 from session_purges where session_id = old.session_id)
begin
  select raise(abort, 'events are append-only: only a purge removes them');
end;

CREATE TRIGGER session_events_no_replace before insert on session_events
when exists (select 1 from session_events where session_id = new.session_id and sequence = new.sequence)
begin
  select raise(abort, 'events are append-only: this sequence is taken');
end;

CREATE TRIGGER session_events_no_update before update on session_events
begin
  select raise(abort, 'events are append-only: they cannot be changed');
end;

CREATE TRIGGER session_texts_no_delete before delete on session_texts
when not exists (select 1 from session_purges where session_id = old.session_id)
begin
  select raise(abort, 'events are append-only: only a purge removes them');
end;

CREATE TRIGGER session_texts_no_replace before insert on session_texts
when exists (
  select 1 from session_texts where session_id = new.session_id and sequence = new.sequence or id = new.id
)
begin
  select raise(abort, 'events are append-only: this sequence is taken');
end;

CREATE TRIGGER session_texts_no_update before update on session_texts
begin
  select raise(abort, 'events are append-only: they cannot be changed');
end;

CREATE VIEW conversation_sessions as
select
  s.id,
  s.user_id,
  s.active_agent,
  (
    select json_group_array(json(m.message))
    from (
      select json_patch('{}', json_object(
        'role', case e.type when 'user_message' then 'user' else 'assistant' end,
        'content', e.content,
        'agentId', e.agent_id,
        'timestamp', coalesce(e.occurred_at, e.created_at)
      )) as message
      from session_log e
      where e.session_id = s.id and e.sequence > s.cleared_at and e.content <> ''
        and e.type in ('user_message', 'model_message')
        and not exists (select 1 from json_each(s.hidden) h where e.sequence between h.value ->> 0 and h.value ->> 1)
      order by e.sequence
    ) m
  ) as messages,
  (
    select json_group_array(json(t.switch))
    from (
      select json_object(
        'from', e.parts ->> 'from', 'to', e.parts ->> 'to', 'reason', e.content, 'timestamp', e.created_at
      ) as switch
      from session_log e
      where e.session_id = s.id and e.type = 'agent_transition'
        and not exists (select 1 from json_each(s.hidden) h where e.sequence between h.value ->> 0 and h.value ->> 1)
      order by e.sequence
    ) t
  ) as agent_transitions,
  s.started_at as created_at,
  s.last_activity_at as updated_at,
  s.expires_at
from sessions s;

CREATE VIEW session_log as
select
  e.session_id, e.sequence, e.id, e.type, e.role, coalesce(e.content, t.content, '') as content,
  coalesce(e.parts, t.parts) as parts, e.agent_id, e.occurred_at, e.created_at
from session_events e
left join session_texts t on e.content is null and t.session_id = e.session_id and t.sequence = e.sequence;

CREATE INDEX conversation_commits_conversation on conversation_commits (tenant, conversation_id, position, commit_id);

CREATE INDEX conversation_commits_session on conversation_commits (session_id);

CREATE INDEX memories_expiring on memories (expires_at, id) where expires_at is not null;

CREATE INDEX memories_fingerprint on memories (tenant, user_id, fingerprint) where superseded_by is null;

CREATE INDEX memories_id on memories (id);

CREATE INDEX memories_unindexed on memories (tenant, user_id, index_version) where superseded_by is null;

CREATE INDEX memory_keys_at on memory_keys (at);

CREATE INDEX memory_keys_fingerprint on memory_keys (fingerprint);

CREATE INDEX recall_messages_time on recall_messages (corpus_id, time);

CREATE INDEX session_edges_reverse on session_edges (session_id, to_node, label, from_node, sequence);

CREATE INDEX session_envelopes_batch on session_envelopes (batch) where batch is not null;

CREATE INDEX session_envelopes_updated on session_envelopes (updated_at);

CREATE INDEX session_imports_user on session_imports (tenant, user_id);

CREATE INDEX session_labels_label on session_labels (tenant, label, user_id);

CREATE INDEX session_usage_day on session_usage (tenant, day, session_id, model);

CREATE INDEX session_usage_user on session_usage (tenant, user_id, day, session_id, model);

CREATE INDEX sessions_active on sessions (tenant, user_id, chatmode, started_at, id)
  where ended_at is null and parent_id is null;

CREATE INDEX sessions_activity on sessions (tenant, activity_minute);

CREATE INDEX sessions_agent on sessions (tenant, active_agent, activity_minute);

CREATE INDEX sessions_asked on sessions (tenant, requests_at, id) where requests_at is not null;

CREATE INDEX sessions_asked_user on sessions (tenant, user_id, requests_at, id) where requests_at is not null;

CREATE INDEX sessions_asking on sessions (tenant, requests_at, id) where requests is not null;

CREATE INDEX sessions_asking_user on sessions (tenant, user_id, requests_at, id) where requests is not null;

CREATE INDEX sessions_chatmode on sessions (tenant, chatmode, activity_minute);

CREATE INDEX sessions_children on sessions (parent_id, activity_minute) where parent_id is not null;

CREATE INDEX sessions_claimable on sessions (tenant, chatmode, due_at, id, active_agent, expires_at)
  where due_at is not null;

CREATE INDEX sessions_conversation on sessions (tenant, conversation_id, activity_minute);

CREATE INDEX sessions_due on sessions (activity_minute, id) where ended_at is null;

CREATE INDEX sessions_due_at on sessions (due_at) where due_at is not null;

CREATE INDEX sessions_expiring on sessions (expires_at, id) where ended_at is null and expires_at is not null;

CREATE UNIQUE INDEX sessions_one_active on sessions (tenant, user_id, chatmode, conversation_id) where ended_at is null;

CREATE INDEX sessions_state on sessions (tenant, state, activity_minute);

CREATE INDEX sessions_uncommitted on sessions (ended_at, id) where awaits_commit = 1;

CREATE INDEX sessions_user on sessions (tenant, user_id, activity_minute);
