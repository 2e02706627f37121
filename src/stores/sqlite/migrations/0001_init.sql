-- One row per session: its record, its status and the head of its log. Times are ISO 8601 text in UTC, so they sort as
-- text and are readable in any SQLite shell.
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
  -- Bytes of the content and parts of its events.
  bytes            integer not null default 0,
  cleared_at       integer not null,
  -- Ranges of sequences off the current line, as JSON.
  hidden           text,
  started_at       text    not null,
  last_activity_at text    not null,
  -- Minute of last_activity_at. Lists are indexed by it: each append would rewrite an index on the exact time.
  activity_minute  integer not null,
  ended_at         text,
  expires_at       text,
  metadata         text    not null,
  forked_from      text,
  last_work        text,
  commit_id        text,
  commit_position  integer,
  -- 1: the session ended in a way that leaves a commit, and has none yet.
  awaits_commit    integer not null default 0,
  -- Sequence of the last event that changed the envelope.
  envelope_at      integer not null default 1,
  -- The session that started this one, and the event that called for it.
  parent_id        text,
  parent_sequence  integer,
  -- Sums of model calls as a JSON list: the number of the turn, six in total, six of that turn. Null: there was none.
  usage            text,
  -- Generation of the live run. Null: there is none.
  run_generation   integer,
  -- When its lease expires. A renewal moves it without an event.
  lease_until      text,
  -- Since when, or from when on, the session needs work. Null: it needs none.
  due_at           text,
  -- When a request was last opened or resolved.
  requests_at      text,
  -- The live run and what is known of all runs, as {"live":{…},"view":{…}}. Null: there were none.
  run              text,
  -- The open requests as a JSON list. Null: there are none.
  requests         text
) strict, without rowid;

create unique index sessions_one_active on sessions (tenant, user_id, chatmode, conversation_id) where ended_at is null;
create index sessions_active on sessions (tenant, user_id, chatmode, started_at, id)
  where ended_at is null and parent_id is null;
create index sessions_children on sessions (parent_id, activity_minute) where parent_id is not null;
create index sessions_activity on sessions (tenant, activity_minute);
create index sessions_user on sessions (tenant, user_id, activity_minute);
create index sessions_state on sessions (tenant, state, activity_minute);
create index sessions_chatmode on sessions (tenant, chatmode, activity_minute);
create index sessions_agent on sessions (tenant, active_agent, activity_minute);
create index sessions_conversation on sessions (tenant, conversation_id, activity_minute);
-- For sweeps over all tenants.
create index sessions_due on sessions (activity_minute, id) where ended_at is null;
create index sessions_expiring on sessions (expires_at, id) where ended_at is null and expires_at is not null;
create index sessions_uncommitted on sessions (ended_at, id) where awaits_commit = 1;
-- Sessions that need work: of a tenant and chatmode, the longest waiting first, with what else a claim asks for; and of
-- all tenants, to see at once that there are none.
create index sessions_claimable on sessions (tenant, chatmode, due_at, id, active_agent, expires_at)
  where due_at is not null;
create index sessions_due_at on sessions (due_at) where due_at is not null;
-- Sessions with open requests, and with requests that may be resolved.
create index sessions_asking on sessions (tenant, requests_at, id) where requests is not null;
create index sessions_asking_user on sessions (tenant, user_id, requests_at, id) where requests is not null;
create index sessions_asked on sessions (tenant, requests_at, id) where requests_at is not null;
create index sessions_asked_user on sessions (tenant, user_id, requests_at, id) where requests_at is not null;

-- An index on metadata: its short top-level members as JSON text, such as ["project","x"].
create table session_labels (
  session_id text not null,
  label      text not null,
  tenant     text not null,
  user_id    text not null,
  primary key (session_id, label)
) strict, without rowid;

create index session_labels_label on session_labels (tenant, label, user_id);

-- Sums of model calls by session, day (UTC) and model: a view of the log, from which reports are summed.
create table session_usage (
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
  -- Billionths of a dollar.
  cost_nano          integer not null,
  primary key (session_id, day, model)
) strict, without rowid;

create index session_usage_day on session_usage (tenant, day, session_id, model);
create index session_usage_user on session_usage (tenant, user_id, day, session_id, model);

create table session_state (
  session_id text    not null primary key,
  scratchpad text    not null,
  version    integer not null,
  updated_at text    not null
) strict, without rowid;

-- The log. Without rowid the events of a session are stored next to each other, so a window takes few pages.
create table session_events (
  session_id  text    not null,
  sequence    integer not null,
  id          text    not null,
  type        text    not null,
  role        text    not null,
  -- Null: content and parts are in session_texts.
  content     text,
  parts       text,
  agent_id    text,
  occurred_at text,
  created_at  text    not null,
  -- Salt and digest of what was written.
  checksum    blob    not null,
  primary key (session_id, sequence)
) strict, without rowid;

-- Content and parts of long events. To compare keys in a table without rowid, SQLite loads whole rows: next to an event
-- of 8 MB, inserting 1,000 events took 4.4 s.
create table session_texts (
  id         integer primary key,
  session_id text    not null,
  sequence   integer not null,
  content    text    not null,
  parts      text,
  unique (session_id, sequence)
) strict;

-- The events with their content and parts.
create view session_log as
select
  e.session_id, e.sequence, e.id, e.type, e.role, coalesce(e.content, t.content, '') as content,
  coalesce(e.parts, t.parts) as parts, e.agent_id, e.occurred_at, e.created_at
from session_events e
left join session_texts t on e.content is null and t.session_id = e.session_id and t.sequence = e.sequence;

-- Types that occur in each block of 256 sequences. Reads by type go from block to block, so a rare type is found
-- without reading the whole log. An index on the events would cost each append another page and 60 bytes.
create table session_types (
  session_id text    not null,
  type       text    not null,
  block      integer not null,
  primary key (session_id, type, block)
) strict, without rowid;

-- Idempotency keys and the events they wrote.
create table session_keys (
  session_id     text    not null,
  key            text    not null,
  fingerprint    text    not null,
  first_sequence integer not null,
  last_sequence  integer not null,
  primary key (session_id, key)
) strict, without rowid;

-- Sessions whose events may be deleted: a row exists only inside the transaction of a purge.
create table session_purges (
  session_id text not null primary key
) strict, without rowid;

-- Sessions that no call sees: a purge removes their rows, or a fork copies them, in several transactions.
-- A sweep removes those whose process has ended.
create table hidden_sessions (
  session_id text not null primary key,
  tenant     text not null,
  user_id    text not null,
  -- Id of the event that completes the fork; null: its rows are being removed.
  fork_event text,
  -- Time of the last transaction.
  touched_at text not null
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

create trigger session_texts_no_update before update on session_texts
begin
  select raise(abort, 'events are append-only: they cannot be changed');
end;

create trigger session_texts_no_delete before delete on session_texts
when not exists (select 1 from session_purges where session_id = old.session_id)
begin
  select raise(abort, 'events are append-only: only a purge removes them');
end;

create trigger session_texts_no_replace before insert on session_texts
when exists (
  select 1 from session_texts where session_id = new.session_id and sequence = new.sequence or id = new.id
)
begin
  select raise(abort, 'events are append-only: this sequence is taken');
end;

-- One row per session with its messages and agent transitions, for reading with SQL.
create view conversation_sessions as
select
  s.id,
  s.user_id,
  s.active_agent,
  (
    select json_group_array(json(m.message))
    from (
      -- A merge patch omits nulls.
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

-- Relations: a view of the log, like session_state. Each row comes from the event with its sequence.
create table session_edges (
  session_id text    not null,
  from_node  text    not null,
  label      text    not null,
  to_node    text    not null,
  sequence   integer not null,
  -- The tools it was derived with; empty: a work commit states it.
  tools      text    not null default '',
  evidence   text    not null,
  primary key (session_id, from_node, label, to_node, sequence, tools)
) strict, without rowid;

create index session_edges_reverse on session_edges (session_id, to_node, label, from_node, sequence);

-- How far relations of tool calls have been derived from a log. No row: nothing was read.
create table session_work_marks (
  session_id text    not null,
  tools      text    not null,
  sequence   integer not null,
  -- What later events need of those before, as JSON.
  state      text    not null,
  primary key (session_id, tools)
) strict, without rowid;

-- One row per commit. It outlives its session and holds no content. The commits of a user in a conversation form a
-- chain: chain identifies it without naming the user, because a purge removes the user.
create table conversation_commits (
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

-- For callers who do not name the user.
create index conversation_commits_conversation on conversation_commits (tenant, conversation_id, position, commit_id);

create index conversation_commits_session on conversation_commits (session_id);

-- How far the index and the extraction of memories have read a log. No row: nothing was read.
create table session_marks (
  session_id text    not null primary key,
  indexed    integer not null default 0,
  turns      integer not null default 0,
  version    integer not null default 0,
  extracted  integer not null default 0
) strict, without rowid;

-- A corpus: a user's 'messages' or 'memories'. Every row of the index refers to it by id.
create table recall_corpora (
  id            integer not null primary key,
  tenant        text    not null,
  user_id       text    not null,
  corpus        text    not null,
  messages      integer not null default 0,
  terms         integer not null default 0,
  long_messages integer not null default 0,
  unique (tenant, user_id, corpus)
) strict;

-- The messages with a term in one block of turns. session_id (a memory's id in the corpus 'memories') is the 16 bytes
-- of the UUID: it sorts like the text, which would be a third of the index.
create table recall_postings (
  corpus_id  integer not null,
  term       text    not null,
  session_id blob    not null,
  block      integer not null,
  -- Number of messages in data.
  messages   integer not null,
  data       blob    not null,
  primary key (corpus_id, term, session_id, block)
) strict, without rowid;

-- Number of messages with a term, and of a speaker.
create table recall_terms (
  corpus_id integer not null,
  term      text    not null,
  messages  integer not null,
  primary key (corpus_id, term)
) strict, without rowid;

create table recall_speakers (
  corpus_id integer not null,
  speaker   text    not null,
  messages  integer not null,
  primary key (corpus_id, speaker)
) strict, without rowid;

-- The terms of a block of a session, each followed by a space: they lead back to the postings. An index on the postings
-- by session would be five times as large. With a rowid, because the rows exceed the 1,000 bytes above which a row
-- without one takes a page of its own.
create table recall_blocks (
  corpus_id     integer not null,
  session_id    blob    not null,
  block         integer not null,
  messages      integer not null,
  length        integer not null,
  long_messages integer not null,
  terms         text    not null,
  unique (corpus_id, session_id, block)
) strict;

-- Facts about each message.
create table recall_messages (
  corpus_id  integer not null,
  session_id blob    not null,
  turn       integer not null,
  sequence   integer not null,
  is_commit  integer not null,
  speaker    text    not null,
  -- Milliseconds since 1970.
  time       integer not null,
  length     integer not null,
  asked      integer not null,
  specifics  integer not null,
  times      integer not null,
  counts     integer not null,
  primary key (corpus_id, session_id, turn)
) strict, without rowid;

create index recall_messages_time on recall_messages (corpus_id, time);

create table memories (
  -- The rowid of the full text: VACUUM may change a rowid that is no column.
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
  -- Version of its words in the index; 0: not indexed.
  index_version integer not null default 0,
  unique (tenant, user_id, id)
) strict;

create index memories_id on memories (id);
create index memories_unindexed on memories (tenant, user_id, index_version) where superseded_by is null;
create index memories_fingerprint on memories (tenant, user_id, fingerprint) where superseded_by is null;
create index memories_expiring on memories (expires_at, id) where expires_at is not null;

create table memory_history (
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

-- The sources that lineages name.
create table memory_sources (
  tenant    text not null,
  user_id   text not null,
  key       text not null,
  memory_id text not null,
  primary key (tenant, user_id, key, memory_id)
) strict, without rowid;

-- For full text search with SQL; recall uses its own index. Example: select m.* from memories_fts f
-- join memories m on m.number = f.rowid where memories_fts match 'word' order by rank
create virtual table memories_fts using fts5 (
  content, content = 'memories', content_rowid = 'number', tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Deleted text leaves the index at once, not with a later merge.
insert into memories_fts (memories_fts, rank) values ('secure-delete', 1);

create trigger memories_fts_insert after insert on memories
begin
  insert into memories_fts (rowid, content) values (new.number, new.content);
end;

create trigger memories_fts_delete after delete on memories
begin
  insert into memories_fts (memories_fts, rowid, content) values ('delete', old.number, old.content);
end;

create trigger memories_fts_update after update of content on memories
when old.content <> new.content
begin
  insert into memories_fts (memories_fts, rowid, content) values ('delete', old.number, old.content);
  insert into memories_fts (rowid, content) values (new.number, new.content);
end;

-- Idempotency keys of changes to memories, with the stored response.
create table memory_keys (
  tenant      text not null,
  user_id     text not null,
  key         text not null,
  fingerprint text not null,
  -- Ids, outcomes and counts as JSON, never the text of a memory: the row stays when the memory is forgotten.
  response    text not null,
  at          text not null,
  primary key (tenant, user_id, key)
) strict, without rowid;

-- For callers who do not know the user.
create index memory_keys_fingerprint on memory_keys (fingerprint);
-- For deleting the oldest keys.
create index memory_keys_at on memory_keys (at);

-- The envelope: a view of the log, like session_state. A missing or outdated one is folded from the log.
create table session_envelopes (
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
  -- The last backfill that wrote it.
  batch      text,
  -- The event it was folded up to. It is current while this equals sessions.envelope_at.
  sequence   integer not null
) strict, without rowid;

create index session_envelopes_batch on session_envelopes (batch) where batch is not null;
create index session_envelopes_updated on session_envelopes (updated_at);

-- Sets updated_at for statements by hand. Ours set it themselves and replace the row, which is no update.
create trigger session_envelopes_updated_at after update on session_envelopes
when new.sequence = old.sequence and new.updated_at = old.updated_at
begin
  update session_envelopes
  set updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  where session_id = new.session_id;
end;

-- Settings of the whole store. 'paused_since': when the intake of new sessions was paused. 'id_secret': from which ids
-- are derived, made on first use.
create table settings (
  name  text not null primary key,
  value text not null
) strict, without rowid;

-- Sessions that are being imported from another store. Their events, types and edges go to their final tables at once;
-- nothing reads them until the row in sessions exists, which comes with the last event.
create table session_imports (
  session_id text    not null primary key,
  tenant     text    not null,
  user_id    text    not null,
  head       integer not null,
  -- Bytes of the content and parts of its events.
  bytes      integer not null default 0,
  -- All views after the head, as JSON.
  view       text    not null
) strict, without rowid;

create index session_imports_user on session_imports (tenant, user_id);
