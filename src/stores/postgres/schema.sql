create role throughline_app;
grant throughline_app to owner;

create role throughline_functions;
grant throughline_functions to owner;

create role throughline_purge;
grant throughline_purge to owner;

create role throughline_reader;
grant throughline_reader to owner;

create schema context authorization owner;
grant usage on schema context to throughline_app;
grant usage on schema context to throughline_functions;
grant usage on schema context to throughline_purge;
grant usage on schema context to throughline_reader;

create schema memori authorization owner;
grant usage on schema memori to throughline_functions;
grant usage on schema memori to throughline_reader;

create type context.event_row as (
  sequence integer,
  id uuid,
  type text,
  role text,
  content text,
  parts text,
  agent_id text,
  occurred_at text,
  created_at timestamp with time zone
);

create type context.input_document as (
  persona_id text,
  subject text,
  issuer text,
  scope text,
  metadata json,
  analysis json,
  timestamps context.input_times
);

create type context.input_envelope as (
  document context.input_document,
  batch text
);

create type context.input_times as (
  created_at timestamp with time zone,
  updated_at timestamp with time zone
);

create type context.input_view as (
  tenant text,
  "userId" text,
  "conversationId" text,
  chatmode text,
  workflow text,
  skill text,
  "gitBranch" text,
  task text,
  status json,
  "activeAgent" text,
  head integer,
  turns integer,
  "clearedAt" integer,
  "startedAt" timestamp with time zone,
  "lastActivityAt" timestamp with time zone,
  "endedAt" timestamp with time zone,
  "expiresAt" timestamp with time zone,
  metadata json,
  "forkedFrom" json,
  parent json,
  labels text[],
  usage bigint[],
  run json,
  "leaseUntil" timestamp with time zone,
  "dueAt" timestamp with time zone,
  requests json,
  "requestsAt" timestamp with time zone,
  hidden integer[],
  "addedUsage" json,
  "lastWork" text,
  commit json,
  "awaitsCommit" boolean,
  "envelopeAt" integer,
  scratchpad json,
  version integer,
  "updatedAt" timestamp with time zone,
  envelope context.input_envelope
);

create type context.mark_row as (
  session_id uuid,
  tenant text,
  user_id text,
  head integer,
  indexed integer,
  turns integer,
  version integer,
  extracted integer,
  copied integer
);

create table context.conversation_commits (
  partition smallint not null,
  chain uuid not null,
  "position" integer not null,
  tenant text not null,
  conversation_id text not null,
  commit_id text collate "C" not null,
  session_id uuid not null,
  user_id text not null,
  made_at timestamp with time zone not null,
  purged_at timestamp with time zone,
  constraint conversation_commits_pkey PRIMARY KEY (partition, chain, "position")
);
CREATE INDEX conversation_commits_conversation ON context.conversation_commits USING btree (tenant, conversation_id, "position", commit_id);
CREATE INDEX conversation_commits_session ON context.conversation_commits USING btree (session_id);
alter table context.conversation_commits enable row level security;
alter table context.conversation_commits force row level security;
create policy tenant on context.conversation_commits as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant insert, select on context.conversation_commits to throughline_functions;
grant select on context.conversation_commits to throughline_purge;
grant select on context.conversation_commits to throughline_reader;
grant update on context.conversation_commits (user_id) to throughline_functions;
grant update on context.conversation_commits (user_id) to throughline_purge;
grant update on context.conversation_commits (purged_at) to throughline_functions;
grant update on context.conversation_commits (purged_at) to throughline_purge;

create table context.recall_blocks (
  partition smallint not null,
  corpus_id integer not null,
  session_id uuid not null,
  block integer not null,
  turn integer not null,
  messages integer not null,
  words integer not null,
  long_messages integer not null,
  tenant text not null,
  terms text[] not null,
  constraint recall_blocks_pkey PRIMARY KEY (partition, corpus_id, session_id, block, turn)
);
alter table context.recall_blocks enable row level security;
alter table context.recall_blocks force row level security;
create policy tenant on context.recall_blocks as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select, update on context.recall_blocks to throughline_functions;

create table context.recall_corpora (
  partition smallint not null,
  user_id text not null,
  tenant text not null,
  corpus text not null,
  corpus_id integer not null,
  messages integer not null,
  terms bigint not null,
  long_messages integer not null,
  constraint recall_corpora_pkey PRIMARY KEY (partition, user_id, tenant, corpus)
) with (fillfactor=50);
CREATE UNIQUE INDEX recall_corpora_id ON context.recall_corpora USING btree (partition, corpus_id);
alter table context.recall_corpora enable row level security;
alter table context.recall_corpora force row level security;
create policy tenant on context.recall_corpora as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select, update on context.recall_corpora to throughline_functions;

create table context.recall_messages (
  partition smallint not null,
  corpus_id integer not null,
  "time" bigint not null,
  session_id uuid not null,
  turn integer not null,
  sequence integer not null,
  length integer not null,
  asked integer not null,
  specifics smallint not null,
  times smallint not null,
  counts boolean not null,
  is_commit boolean not null,
  tenant text not null,
  speaker text not null,
  constraint recall_messages_pkey PRIMARY KEY (partition, corpus_id, session_id, turn)
);
CREATE INDEX recall_messages_time ON context.recall_messages USING btree (partition, corpus_id, "time", session_id, turn);
alter table context.recall_messages enable row level security;
alter table context.recall_messages force row level security;
create policy tenant on context.recall_messages as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select, update on context.recall_messages to throughline_functions;

create table context.recall_postings (
  partition smallint not null,
  corpus_id integer not null,
  session_id uuid not null,
  block integer not null,
  messages smallint not null,
  term text collate "C" not null,
  tenant text not null,
  data bytea not null,
  constraint recall_postings_pkey PRIMARY KEY (partition, corpus_id, term, session_id, block)
) with (fillfactor=90);
alter table context.recall_postings enable row level security;
alter table context.recall_postings force row level security;
create policy tenant on context.recall_postings as permissive for all to public using (((( SELECT current_setting('throughline.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('throughline.tenant'::text, true) AS current_setting) = tenant)));
grant delete, insert, select, update on context.recall_postings to throughline_functions;

create table context.recall_speakers (
  partition smallint not null,
  corpus_id integer not null,
  messages integer not null,
  speaker text collate "C" not null,
  tenant text not null,
  constraint recall_speakers_pkey PRIMARY KEY (partition, corpus_id, speaker)
) with (fillfactor=70);
alter table context.recall_speakers enable row level security;
alter table context.recall_speakers force row level security;
create policy tenant on context.recall_speakers as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select, update on context.recall_speakers to throughline_functions;

create table context.recall_terms (
  partition smallint not null,
  corpus_id integer not null,
  messages integer not null,
  term text collate "C" not null,
  tenant text not null,
  constraint recall_terms_pkey PRIMARY KEY (partition, corpus_id, term)
) with (fillfactor=70);
alter table context.recall_terms enable row level security;
alter table context.recall_terms force row level security;
create policy tenant on context.recall_terms as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select, update on context.recall_terms to throughline_functions;

create table context.session_directory (
  partition smallint not null,
  id uuid not null,
  home smallint not null,
  claimed_at timestamp with time zone not null,
  constraint session_directory_pkey PRIMARY KEY (partition, id)
);
grant delete, insert, select, update on context.session_directory to throughline_functions;
grant delete, select on context.session_directory to throughline_purge;

create table context.session_edges (
  partition smallint not null,
  session_id uuid not null,
  tenant text not null,
  from_node text collate "C" not null,
  label text collate "C" not null,
  to_node text collate "C" not null,
  sequence integer not null,
  tools text not null default ''::text,
  evidence json not null,
  from_start text collate "C" not null,
  to_start text collate "C" not null,
  digest uuid not null,
  constraint session_edges_pkey PRIMARY KEY (partition, session_id, from_start, label, to_start, sequence, digest, tools)
);
CREATE INDEX session_edges_reverse ON context.session_edges USING btree (partition, session_id, to_start, label, from_start, sequence);
alter table context.session_edges enable row level security;
alter table context.session_edges force row level security;
create policy tenant on context.session_edges as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select on context.session_edges to throughline_functions;
grant delete, select on context.session_edges to throughline_purge;
grant select on context.session_edges to throughline_reader;

create table context.session_envelopes (
  partition smallint not null,
  session_id uuid not null,
  persona_id text not null default ''::text,
  tenant text not null,
  subject text not null,
  issuer text,
  scope text,
  metadata json not null default '{}'::json,
  analysis json not null default '{}'::json,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  batch text,
  sequence integer not null,
  constraint session_envelopes_pkey PRIMARY KEY (partition, session_id)
);
CREATE INDEX session_envelopes_batch ON context.session_envelopes USING btree (batch, session_id) WHERE (batch IS NOT NULL);
CREATE INDEX session_envelopes_updated ON context.session_envelopes USING btree (updated_at);
alter table context.session_envelopes enable row level security;
alter table context.session_envelopes force row level security;
create policy tenant on context.session_envelopes as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
CREATE TRIGGER set_updated_at BEFORE UPDATE ON context.session_envelopes FOR EACH ROW WHEN (((new.sequence = old.sequence) AND (new.updated_at = old.updated_at))) EXECUTE FUNCTION context.set_envelope_updated_at();
grant delete, insert, select, update on context.session_envelopes to throughline_functions;
grant delete, select on context.session_envelopes to throughline_purge;
grant select on context.session_envelopes to throughline_reader;

create table context.session_events (
  session_id uuid not null,
  sequence integer not null,
  id uuid not null,
  partition smallint not null,
  tenant text not null,
  type text not null,
  role text not null,
  content text not null,
  parts json,
  agent_id text,
  occurred_at text,
  created_at timestamp with time zone not null,
  checksum bytea not null,
  constraint session_events_pkey PRIMARY KEY (partition, session_id, sequence)
);
alter table context.session_events enable row level security;
alter table context.session_events force row level security;
create policy tenant on context.session_events as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, select on context.session_events to throughline_purge;
grant insert, select on context.session_events to throughline_functions;
grant select on context.session_events to throughline_reader;

create table context.session_imports (
  partition smallint not null,
  session_id uuid not null,
  tenant text not null,
  user_id text not null,
  head integer not null,
  bytes bigint not null default 0,
  view json not null,
  at timestamp with time zone not null default now(),
  constraint session_imports_pkey PRIMARY KEY (partition, session_id)
);
CREATE INDEX session_imports_session ON context.session_imports USING btree (session_id);
CREATE INDEX session_imports_user ON context.session_imports USING btree (tenant, user_id, session_id);
alter table context.session_imports enable row level security;
alter table context.session_imports force row level security;
create policy tenant on context.session_imports as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select, update on context.session_imports to throughline_functions;
grant delete, select on context.session_imports to throughline_purge;
grant select on context.session_imports to throughline_reader;

create table context.session_keys (
  partition smallint not null,
  session_id uuid not null,
  tenant text not null,
  key text not null,
  fingerprint text not null,
  first_sequence integer not null,
  last_sequence integer not null,
  constraint session_keys_pkey PRIMARY KEY (partition, session_id, key)
);
alter table context.session_keys enable row level security;
alter table context.session_keys force row level security;
create policy tenant on context.session_keys as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, select on context.session_keys to throughline_purge;
grant insert, select on context.session_keys to throughline_functions;

create table context.session_labels (
  partition smallint not null,
  session_id uuid not null,
  label text not null,
  tenant text not null,
  user_id text not null,
  constraint session_labels_pkey PRIMARY KEY (partition, session_id, label)
);
CREATE INDEX session_labels_label ON context.session_labels USING btree (tenant, label, user_id);
alter table context.session_labels enable row level security;
alter table context.session_labels force row level security;
create policy tenant on context.session_labels as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select on context.session_labels to throughline_functions;
grant delete, select on context.session_labels to throughline_purge;

create table context.session_marks (
  partition smallint not null,
  session_id uuid not null,
  tenant text not null,
  indexed integer not null default 0,
  turns integer not null default 0,
  version integer not null default 0,
  extracted integer not null default 0,
  constraint session_marks_pkey PRIMARY KEY (partition, session_id)
) with (fillfactor=70);
alter table context.session_marks enable row level security;
alter table context.session_marks force row level security;
create policy tenant on context.session_marks as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select, update on context.session_marks to throughline_functions;
grant delete, select on context.session_marks to throughline_purge;

create table context.session_slots (
  partition smallint not null,
  tenant text not null,
  user_id text not null,
  chatmode text not null,
  conversation_id text not null,
  session_id uuid not null,
  constraint session_slots_pkey PRIMARY KEY (partition, tenant, user_id, chatmode, conversation_id)
);
CREATE INDEX session_slots_session ON context.session_slots USING btree (session_id);
alter table context.session_slots enable row level security;
alter table context.session_slots force row level security;
create policy tenant on context.session_slots as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select on context.session_slots to throughline_functions;
grant delete, select on context.session_slots to throughline_purge;

create table context.session_state (
  partition smallint not null,
  session_id uuid not null,
  tenant text not null,
  scratchpad json not null,
  version integer not null,
  updated_at timestamp with time zone not null,
  constraint session_state_pkey PRIMARY KEY (partition, session_id)
);
alter table context.session_state enable row level security;
alter table context.session_state force row level security;
create policy tenant on context.session_state as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, select on context.session_state to throughline_purge;
grant insert, select, update on context.session_state to throughline_functions;
grant select on context.session_state to throughline_reader;

create table context.session_types (
  partition smallint not null,
  session_id uuid not null,
  tenant text not null,
  type text not null,
  block integer not null,
  constraint session_types_pkey PRIMARY KEY (partition, session_id, type, block)
);
alter table context.session_types enable row level security;
alter table context.session_types force row level security;
create policy tenant on context.session_types as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, select on context.session_types to throughline_purge;
grant insert, select on context.session_types to throughline_functions;

create table context.session_usage (
  partition smallint not null,
  session_id uuid not null,
  day text collate "C" not null,
  model text collate "C" not null,
  tenant text collate "C" not null,
  user_id text collate "C" not null,
  messages bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  cost_nano bigint not null,
  constraint session_usage_pkey PRIMARY KEY (partition, session_id, day, model)
) with (fillfactor=80);
CREATE INDEX session_usage_day ON context.session_usage USING btree (tenant, day, session_id, model);
CREATE INDEX session_usage_user ON context.session_usage USING btree (tenant, user_id, day, session_id, model);
alter table context.session_usage enable row level security;
alter table context.session_usage force row level security;
create policy tenant on context.session_usage as permissive for all to public using (((( SELECT current_setting('throughline.tenant'::text, true) AS current_setting) = '*'::text) OR (( SELECT current_setting('throughline.tenant'::text, true) AS current_setting) = tenant)));
grant delete, insert, select, update on context.session_usage to throughline_functions;
grant delete, select on context.session_usage to throughline_purge;
grant select on context.session_usage to throughline_reader;

create table context.session_work_marks (
  partition smallint not null,
  session_id uuid not null,
  tenant text not null,
  tools text not null,
  sequence integer not null,
  state text not null,
  constraint session_work_marks_pkey PRIMARY KEY (partition, session_id, tools)
);
alter table context.session_work_marks enable row level security;
alter table context.session_work_marks force row level security;
create policy tenant on context.session_work_marks as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select, update on context.session_work_marks to throughline_functions;
grant delete, select on context.session_work_marks to throughline_purge;

create table context.sessions (
  partition smallint not null,
  id uuid not null,
  tenant text not null,
  user_id text not null,
  conversation_id text not null,
  chatmode text not null,
  workflow text,
  skill text,
  git_branch text,
  task text,
  state text not null,
  status json not null,
  active_agent text not null,
  head integer not null,
  turns integer not null,
  cleared_at integer not null,
  hidden integer[],
  decision_version integer not null default 0,
  bytes bigint not null default 0,
  started_at timestamp with time zone not null,
  last_activity_at timestamp with time zone not null,
  due_at timestamp with time zone,
  lease_until timestamp with time zone,
  requests_at timestamp with time zone,
  activity_minute integer not null,
  run_generation integer,
  ended_at timestamp with time zone,
  expires_at timestamp with time zone,
  metadata json not null,
  forked_from json,
  last_work text,
  commit_id text,
  commit_position integer,
  awaits_commit boolean not null default false,
  envelope_at integer not null default 1,
  marked_types text not null default ''::text,
  lock_token uuid,
  locked_until timestamp with time zone,
  appends_wait_until timestamp with time zone,
  parent_id uuid,
  parent_sequence integer,
  usage bigint[],
  run json,
  requests json,
  constraint sessions_pkey PRIMARY KEY (partition, id)
) with (fillfactor=80);
CREATE INDEX sessions_active ON context.sessions USING btree (tenant, user_id, chatmode, started_at, id) WHERE ((ended_at IS NULL) AND (parent_id IS NULL));
CREATE INDEX sessions_activity ON context.sessions USING btree (tenant, activity_minute);
CREATE INDEX sessions_agent ON context.sessions USING btree (tenant, active_agent, activity_minute);
CREATE INDEX sessions_asked ON context.sessions USING btree (tenant, requests_at, id, user_id) WHERE (requests_at IS NOT NULL);
CREATE INDEX sessions_asking ON context.sessions USING btree (tenant, requests_at, id, user_id) WHERE (requests IS NOT NULL);
CREATE INDEX sessions_chatmode ON context.sessions USING btree (tenant, chatmode, activity_minute);
CREATE INDEX sessions_children ON context.sessions USING btree (partition, parent_id, activity_minute) WHERE (parent_id IS NOT NULL);
CREATE INDEX sessions_claimable ON context.sessions USING btree (tenant COLLATE "C", chatmode, due_at, id, active_agent, user_id, expires_at) WHERE (due_at IS NOT NULL);
CREATE INDEX sessions_conversation ON context.sessions USING btree (tenant, conversation_id, activity_minute);
CREATE INDEX sessions_due ON context.sessions USING btree (activity_minute, id) WHERE (ended_at IS NULL);
CREATE INDEX sessions_expiring ON context.sessions USING btree (expires_at, id) WHERE ((ended_at IS NULL) AND (expires_at IS NOT NULL));
CREATE INDEX sessions_id ON context.sessions USING btree (id);
CREATE INDEX sessions_state ON context.sessions USING btree (tenant, state, activity_minute);
CREATE INDEX sessions_uncommitted ON context.sessions USING btree (ended_at, id) WHERE awaits_commit;
CREATE INDEX sessions_user ON context.sessions USING btree (tenant, user_id, activity_minute);
CREATE INDEX sessions_work ON context.sessions USING btree (due_at) WHERE (due_at IS NOT NULL);
alter table context.sessions enable row level security;
alter table context.sessions force row level security;
create policy tenant on context.sessions as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, select on context.sessions to throughline_purge;
grant insert, select, update on context.sessions to throughline_functions;
grant select on context.sessions to throughline_reader;

create table context.settings (
  name text not null,
  value text not null,
  constraint settings_pkey PRIMARY KEY (name)
);
grant delete, insert, select on context.settings to throughline_functions;

create table context.throughline_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint throughline_migrations_pkey PRIMARY KEY (version)
);

create table memori.memories (
  partition smallint not null,
  user_id text not null,
  tenant text not null default 'local'::text,
  memory_id uuid not null default gen_random_uuid(),
  category text not null,
  content text not null,
  scope text,
  source_type text default 'bootstrap'::text,
  confidence numeric(3,2) default 0.80,
  lineage jsonb default '[]'::jsonb,
  last_used_at timestamp with time zone,
  use_count integer default 0,
  expires_at timestamp with time zone,
  created_at timestamp with time zone default now(),
  superseded_by uuid,
  superseded_at timestamp with time zone,
  metadata json,
  fingerprint text,
  index_version integer,
  content_tsv tsvector generated always as (to_tsvector('english'::regconfig, content)) stored,
  constraint memories_pkey PRIMARY KEY (partition, user_id, tenant, memory_id)
) with (fillfactor=80);
CREATE INDEX idx_memories_namespace_category ON memori.memories USING btree (user_id, category);
CREATE INDEX memories_content ON memori.memories USING gin (content_tsv);
CREATE INDEX memories_expiring ON memori.memories USING btree (expires_at, memory_id) WHERE (expires_at IS NOT NULL);
CREATE INDEX memories_fingerprint ON memori.memories USING btree (user_id, fingerprint) WHERE (fingerprint IS NOT NULL);
CREATE INDEX memories_memory ON memori.memories USING hash (memory_id);
CREATE INDEX memories_owner ON memori.memories USING btree (tenant, user_id, memory_id);
CREATE INDEX memories_unindexed ON memori.memories USING btree (user_id, index_version) WHERE (superseded_by IS NULL);
alter table memori.memories enable row level security;
alter table memori.memories force row level security;
create policy tenant on memori.memories as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
CREATE TRIGGER throughline_partition BEFORE INSERT OR UPDATE OF tenant, user_id ON memori.memories FOR EACH ROW EXECUTE FUNCTION context.set_memory_partition();
grant delete, insert, select, update on memori.memories to throughline_functions;
grant select on memori.memories to throughline_reader;
comment on column memori.memories.source_type is 'explicit|implicit|bootstrap|tool_output';
comment on column memori.memories.confidence is 'Belief strength, updated on corroboration/contradiction';

create table memori.memory_history (
  partition smallint not null,
  user_id text not null,
  memory_id uuid not null,
  version integer not null,
  tenant text not null,
  at timestamp with time zone not null,
  change text not null,
  confidence numeric(3,2) not null,
  source json,
  note text,
  by_memory uuid,
  constraint memory_history_pkey PRIMARY KEY (partition, user_id, tenant, memory_id, version)
);
alter table memori.memory_history enable row level security;
alter table memori.memory_history force row level security;
create policy tenant on memori.memory_history as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select, update on memori.memory_history to throughline_functions;
grant select on memori.memory_history to throughline_reader;

create table memori.memory_keys (
  partition smallint not null,
  user_id text not null,
  tenant text not null,
  digest uuid not null,
  key text not null,
  fingerprint text not null,
  response text not null,
  at timestamp with time zone not null,
  constraint memory_keys_pkey PRIMARY KEY (partition, user_id, tenant, digest)
);
CREATE INDEX memory_keys_at ON memori.memory_keys USING btree (at);
CREATE INDEX memory_keys_fingerprint ON memori.memory_keys USING hash (fingerprint);
alter table memori.memory_keys enable row level security;
alter table memori.memory_keys force row level security;
create policy tenant on memori.memory_keys as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select on memori.memory_keys to throughline_functions;
grant select on memori.memory_keys to throughline_reader;

create table memori.memory_sources (
  partition smallint not null,
  user_id text not null,
  tenant text not null,
  digest uuid not null,
  memory_id uuid not null,
  key text not null,
  constraint memory_sources_pkey PRIMARY KEY (partition, user_id, tenant, memory_id, digest)
);
CREATE INDEX memory_sources_key ON memori.memory_sources USING btree (digest, partition, user_id, tenant, memory_id);
alter table memori.memory_sources enable row level security;
alter table memori.memory_sources force row level security;
create policy tenant on memori.memory_sources as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select, update on memori.memory_sources to throughline_functions;
grant select on memori.memory_sources to throughline_reader;

create table memori.memory_versions (
  partition smallint not null,
  user_id text not null,
  tenant text not null,
  version uuid not null,
  lock_token uuid,
  locked_until timestamp with time zone,
  constraint memory_versions_pkey PRIMARY KEY (partition, user_id, tenant)
) with (fillfactor=50);
alter table memori.memory_versions enable row level security;
alter table memori.memory_versions force row level security;
create policy tenant on memori.memory_versions as permissive for all to public using (((current_setting('throughline.tenant'::text, true) = '*'::text) OR (current_setting('throughline.tenant'::text, true) = tenant)));
grant delete, insert, select, update on memori.memory_versions to throughline_functions;

create view context.conversation_sessions with (security_invoker=true) as
 SELECT s.id,
    s.user_id,
    s.active_agent,
    COALESCE(m.messages, '[]'::json) AS messages,
    COALESCE(t.switches, '[]'::json) AS agent_transitions,
    s.started_at AS created_at,
    s.last_activity_at AS updated_at,
    s.expires_at
   FROM context.sessions s
     LEFT JOIN LATERAL ( SELECT json_agg(json_strip_nulls(json_build_object('role',
                CASE e.type
                    WHEN 'user_message'::text THEN 'user'::text
                    ELSE 'assistant'::text
                END, 'content', e.content, 'agentId', e.agent_id, 'timestamp', COALESCE(e.occurred_at, context.iso_time(e.created_at)))) ORDER BY e.sequence) AS messages
           FROM context.session_events e
          WHERE e.partition = s.partition AND e.session_id = s.id AND e.sequence > s.cleared_at AND e.content <> ''::text AND (e.type = ANY (ARRAY['user_message'::text, 'model_message'::text])) AND NOT context.is_hidden(s.hidden, e.sequence)) m ON true
     LEFT JOIN LATERAL ( SELECT json_agg(json_build_object('from', e.parts ->> 'from'::text, 'to', e.parts ->> 'to'::text, 'reason', e.content, 'timestamp', context.iso_time(e.created_at)) ORDER BY e.sequence) AS switches
           FROM context.session_events e
          WHERE e.partition = s.partition AND e.session_id = s.id AND e.type = 'agent_transition'::text AND NOT context.is_hidden(s.hidden, e.sequence)) t ON true;
grant select on context.conversation_sessions to throughline_reader;

create view context.envelope_views with (security_invoker=true) as
 SELECT s.partition,
    s.id,
    s.envelope_at,
    e.persona_id AS envelope_persona_id,
    e.tenant AS envelope_tenant,
    e.subject AS envelope_subject,
    e.issuer AS envelope_issuer,
    e.scope AS envelope_scope,
    e.metadata AS envelope_metadata,
    e.analysis AS envelope_analysis,
    e.created_at AS envelope_created_at,
    e.updated_at AS envelope_updated_at,
    e.batch AS envelope_batch
   FROM context.sessions s
     LEFT JOIN context.session_envelopes e ON e.partition = s.partition AND e.session_id = s.id AND e.sequence = s.envelope_at;
grant select on context.envelope_views to throughline_functions;

create view context.memory_rows with (security_invoker=true) as
 SELECT partition,
    user_id AS stored_user,
    expires_at AS stored_expiry,
    fingerprint,
    index_version,
    memory_id AS id,
    tenant,
    user_id,
    category,
    content,
    scope,
    source_type,
    confidence::double precision AS confidence,
    lineage::json AS lineage,
    use_count,
    created_at,
    last_used_at,
    expires_at,
    superseded_by,
    superseded_at,
    metadata
   FROM memori.memories m;
grant select on context.memory_rows to throughline_functions;

create view context.session_views with (security_invoker=true) as
 SELECT s.partition,
    s.id,
    s.tenant,
    s.user_id,
    s.conversation_id,
    s.chatmode,
    s.workflow,
    s.skill,
    s.git_branch,
    s.task,
    s.state,
    s.status,
    s.active_agent,
    s.head,
    s.turns,
    s.cleared_at,
    s.hidden,
    s.decision_version,
    s.started_at,
    s.last_activity_at,
    s.activity_minute,
    s.ended_at,
    s.expires_at,
    s.metadata,
    s.forked_from,
    s.last_work,
    s.commit_id,
    s.commit_position,
    s.awaits_commit,
    s.envelope_at,
    s.parent_id,
    s.parent_sequence,
    s.usage,
    s.run,
    s.lease_until,
    s.requests,
    s.requests_at,
    st.scratchpad,
    st.version,
    st.updated_at,
    e.persona_id AS envelope_persona_id,
    e.tenant AS envelope_tenant,
    e.subject AS envelope_subject,
    e.issuer AS envelope_issuer,
    e.scope AS envelope_scope,
    e.metadata AS envelope_metadata,
    e.analysis AS envelope_analysis,
    e.created_at AS envelope_created_at,
    e.updated_at AS envelope_updated_at,
    e.batch AS envelope_batch
   FROM context.sessions s
     JOIN context.session_state st ON st.partition = s.partition AND st.session_id = s.id
     LEFT JOIN context.session_envelopes e ON e.partition = s.partition AND e.session_id = s.id AND e.sequence = s.envelope_at;
grant select on context.session_views to throughline_functions;

CREATE OR REPLACE FUNCTION context.add_numbers(p_before bigint[], p_more bigint[])
 RETURNS bigint[]
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select array(
    select coalesce(n.before, 0) + n.more
    from unnest(p_before, p_more) with ordinality as n (before, more, place)
    order by n.place
  )
$function$
;
alter function context.add_numbers(bigint[],bigint[]) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.add_usage(s_partition smallint[], s_id uuid[], p_heads json, p_usage json)
 RETURNS void
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  -- Each session was checked in the scope of its caller.
  v_tenant_scope text := set_config('throughline.tenant', '*', true);
begin
  with added as materialized (
    select s_id[u.session] as id, u.total, u.turn, u.rows
    from json_to_recordset(p_usage) as u (session integer, total bigint[], turn bigint[], rows json)
    where p_heads ->> (u.session - 1) is not null
  ), moved as (
    update sessions x
    set usage = next_usage(x.usage, x.turns, a.total, a.turn)
    from added a
    -- A session may be in the partition of another one of the batch, as in append_events.
    where x.id = a.id and x.partition = any (s_partition)
    returning x.partition, x.id, x.tenant, x.user_id, a.rows
  )
  insert into session_usage as y
    (partition, session_id, day, model, tenant, user_id, messages, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, cost_nano)
  select m.partition, m.id, r.day, r.model, m.tenant, m.user_id, r.sums[1], r.sums[2], r.sums[3], r.sums[4], r.sums[5],
    r.sums[6]
  from moved m
  cross join lateral json_to_recordset(m.rows) as r (day text, model text, sums bigint[])
  on conflict (partition, session_id, day, model) do update
  set messages = y.messages + excluded.messages, input_tokens = y.input_tokens + excluded.input_tokens,
      output_tokens = y.output_tokens + excluded.output_tokens,
      cache_read_tokens = y.cache_read_tokens + excluded.cache_read_tokens,
      cache_write_tokens = y.cache_write_tokens + excluded.cache_write_tokens,
      cost_nano = y.cost_nano + excluded.cost_nano;
end $function$
;
alter function context.add_usage(smallint[],uuid[],json,json) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.add_words(p_partition smallint, p_tenant text, p_user text, p_corpus text, w_session uuid[], w_block integer[], w_term text[], w_messages integer[], w_data bytea[], b_session uuid[], b_block integer[], b_turn integer[], b_messages integer[], b_words integer[], b_long integer[])
 RETURNS integer
 LANGUAGE plpgsql
 SET enable_nestloop TO 'off'
AS $function$
declare
  v_corpus_id integer := corpus_id(p_partition, p_tenant, p_user, p_corpus);
begin
  if v_corpus_id is null then
    -- Blocks others that number a new corpus of the partition; the user's lock excludes others with the same corpus.
    perform pg_advisory_xact_lock(4750, p_partition);
    v_corpus_id := 1 + coalesce((select max(x.corpus_id) from recall_corpora x where x.partition = p_partition), 0);
  end if;
  insert into recall_corpora as x (partition, user_id, tenant, corpus, corpus_id, messages, terms, long_messages)
  select p_partition, p_user, p_tenant, p_corpus, v_corpus_id, sum(b.messages), sum(b.words), sum(b.long)
  from unnest(b_messages, b_words, b_long) as b (messages, words, long)
  on conflict (partition, user_id, tenant, corpus) do update
  set messages = x.messages + excluded.messages, terms = x.terms + excluded.terms,
      long_messages = x.long_messages + excluded.long_messages;

  insert into recall_terms as x (partition, corpus_id, term, tenant, messages)
  select p_partition, v_corpus_id, w.term, p_tenant, sum(w.messages)
  from unnest(w_term, w_messages) as w (term, messages)
  group by w.term
  on conflict (partition, corpus_id, term) do update set messages = x.messages + excluded.messages;

  with upserted as (
    insert into recall_postings as x (partition, corpus_id, term, session_id, block, tenant, messages, data)
    select p_partition, v_corpus_id, w.term, w.session, w.block, p_tenant, w.messages, w.data
    from unnest(w_session, w_block, w_term, w_messages, w_data) as w (session, block, term, messages, data)
    on conflict (partition, corpus_id, term, session_id, block) do update
    set messages = x.messages + excluded.messages, data = x.data || excluded.data
    returning x.term, x.session_id, x.block, x.messages
  ),
  added as (
    select w.session, w.block, array_agg(w.term) as terms
    from unnest(w_session, w_block, w_term, w_messages) as w (session, block, term, messages)
    join upserted u on u.term = w.term and u.session_id = w.session and u.block = w.block
    where u.messages = w.messages
    group by w.session, w.block
  )
  insert into recall_blocks (partition, corpus_id, session_id, block, turn, tenant, terms, messages, words, long_messages)
  select p_partition, v_corpus_id, b.session, b.block, b.turn, p_tenant, coalesce(added.terms, '{}'), b.messages, b.words,
    b.long
  from unnest(b_session, b_block, b_turn, b_messages, b_words, b_long) as b (session, block, turn, messages, words, long)
  left join added on added.session = b.session and added.block = b.block;
  return v_corpus_id;
end $function$
;
alter function context.add_words(smallint,text,text,text,uuid[],integer[],text[],integer[],bytea[],uuid[],integer[],integer[],integer[],integer[],integer[]) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.append_event(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_turns integer, p_bytes integer, p_at timestamp with time zone, p_minute integer, p_run integer, e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text, e_checksum bytea)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.append_event(smallint,uuid,text,text,integer,integer,timestamp with time zone,integer,integer,uuid,text,text,text,json,text,text,bytea) owner to throughline_functions;
grant execute on function context.append_event(smallint,uuid,text,text,integer,integer,timestamp with time zone,integer,integer,uuid,text,text,text,json,text,text,bytea) to throughline_app;

CREATE OR REPLACE FUNCTION context.append_event_with_usage(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_turns integer, p_bytes integer, p_at timestamp with time zone, p_minute integer, p_run integer, e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text, e_checksum bytea, p_usage json)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
declare
  v_head integer := append_event(p_partition, p_session, p_tenant, p_user, p_turns, p_bytes, p_at, p_minute, p_run, e_id,
    e_type, e_role, e_content, e_parts, e_agent, e_occurred, e_checksum);
begin
  if v_head is not null then
    perform add_usage(array[p_partition], array[p_session], json_build_array(v_head), p_usage);
  end if;
  return v_head;
end $function$
;
alter function context.append_event_with_usage(smallint,uuid,text,text,integer,integer,timestamp with time zone,integer,integer,uuid,text,text,text,json,text,text,bytea,json) owner to throughline_functions;
grant execute on function context.append_event_with_usage(smallint,uuid,text,text,integer,integer,timestamp with time zone,integer,integer,uuid,text,text,text,json,text,text,bytea,json) to throughline_app;

CREATE OR REPLACE FUNCTION context.append_events(p_partition smallint, s_partition smallint[], s_id uuid[], s_tenant text[], s_user text[], s_count integer[], s_turns integer[], s_bytes integer[], s_at timestamp with time zone[], s_minute integer[], s_expected integer[], s_type text[], s_run integer[], s_due timestamp with time zone[], k_session integer[], k_key text[], k_fingerprint text[], k_place integer[], k_count integer[], e_session integer[], e_place integer[], e_at timestamp with time zone[], e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[], e_checksum bytea[], OUT heads json, OUT refused json, OUT known json)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
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
end $function$
;
alter function context.append_events(smallint,smallint[],uuid[],text[],text[],integer[],integer[],integer[],timestamp with time zone[],integer[],integer[],text[],integer[],timestamp with time zone[],integer[],text[],text[],integer[],integer[],integer[],integer[],timestamp with time zone[],uuid[],text[],text[],text[],json[],text[],text[],bytea[]) owner to throughline_functions;
grant execute on function context.append_events(smallint,smallint[],uuid[],text[],text[],integer[],integer[],integer[],timestamp with time zone[],integer[],integer[],text[],integer[],timestamp with time zone[],integer[],text[],text[],integer[],integer[],integer[],integer[],timestamp with time zone[],uuid[],text[],text[],text[],json[],text[],text[],bytea[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.append_events_with_usage(p_partition smallint, s_partition smallint[], s_id uuid[], s_tenant text[], s_user text[], s_count integer[], s_turns integer[], s_bytes integer[], s_at timestamp with time zone[], s_minute integer[], s_expected integer[], s_type text[], s_run integer[], s_due timestamp with time zone[], k_session integer[], k_key text[], k_fingerprint text[], k_place integer[], k_count integer[], e_session integer[], e_place integer[], e_at timestamp with time zone[], e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[], e_checksum bytea[], p_usage json, OUT heads json, OUT refused json, OUT known json)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  select w.heads, w.refused, w.known
  into append_events_with_usage.heads, append_events_with_usage.refused, append_events_with_usage.known
  from append_events(p_partition, s_partition, s_id, s_tenant, s_user, s_count, s_turns, s_bytes, s_at, s_minute,
    s_expected, s_type, s_run, s_due, k_session, k_key, k_fingerprint, k_place, k_count, e_session, e_place, e_at, e_id,
    e_type, e_role, e_content, e_parts, e_agent, e_occurred, e_checksum) w;
  perform add_usage(s_partition, s_id, append_events_with_usage.heads, p_usage);
end $function$
;
alter function context.append_events_with_usage(smallint,smallint[],uuid[],text[],text[],integer[],integer[],integer[],timestamp with time zone[],integer[],integer[],text[],integer[],timestamp with time zone[],integer[],text[],text[],integer[],integer[],integer[],integer[],timestamp with time zone[],uuid[],text[],text[],text[],json[],text[],text[],bytea[],json) owner to throughline_functions;
grant execute on function context.append_events_with_usage(smallint,smallint[],uuid[],text[],text[],integer[],integer[],integer[],timestamp with time zone[],integer[],integer[],text[],integer[],timestamp with time zone[],integer[],text[],text[],integer[],integer[],integer[],integer[],timestamp with time zone[],uuid[],text[],text[],text[],json[],text[],text[],bytea[],json) to throughline_app;

CREATE OR REPLACE FUNCTION context.can_access(s_tenant text, s_user text, p_tenant text, p_user text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select (p_tenant is null or s_tenant = p_tenant) and (p_user is null or s_user = p_user)
$function$
;
alter function context.can_access(text,text,text,text) owner to throughline_functions;
grant execute on function context.can_access(text,text,text,text) to throughline_purge;

CREATE OR REPLACE FUNCTION context.chain_of(p_tenant text, p_user text, p_conversation text)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
  select md5(json_build_array(p_tenant, p_user, p_conversation)::text)::uuid
$function$
;
alter function context.chain_of(text,text,text) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.change_state(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_version integer, p_turns integer, p_at timestamp with time zone, p_minute integer, p_token uuid, p_started timestamp with time zone, s_scratchpad json, s_version integer, s_updated timestamp with time zone, e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text, e_checksum bytea)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.change_state(smallint,uuid,text,text,integer,integer,timestamp with time zone,integer,uuid,timestamp with time zone,json,integer,timestamp with time zone,uuid,text,text,text,json,text,text,bytea) owner to throughline_functions;
grant execute on function context.change_state(smallint,uuid,text,text,integer,integer,timestamp with time zone,integer,uuid,timestamp with time zone,json,integer,timestamp with time zone,uuid,text,text,text,json,text,text,bytea) to throughline_app;

CREATE OR REPLACE FUNCTION context.change_usage(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_cleared boolean, p_rows json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if p_cleared then
    delete from session_usage x where x.partition = p_partition and x.session_id = p_session;
  end if;
  insert into session_usage as y
    (partition, session_id, day, model, tenant, user_id, messages, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, cost_nano)
  select p_partition, p_session, r.day, r.model, p_tenant, p_user, r.sums[1], r.sums[2], r.sums[3], r.sums[4], r.sums[5],
    r.sums[6]
  from json_to_recordset(p_rows) as r (day text, model text, sums bigint[])
  on conflict (partition, session_id, day, model) do update
  set messages = y.messages + excluded.messages, input_tokens = y.input_tokens + excluded.input_tokens,
      output_tokens = y.output_tokens + excluded.output_tokens,
      cache_read_tokens = y.cache_read_tokens + excluded.cache_read_tokens,
      cache_write_tokens = y.cache_write_tokens + excluded.cache_write_tokens,
      cost_nano = y.cost_nano + excluded.cost_nano;
end $function$
;
alter function context.change_usage(smallint,uuid,text,text,boolean,json) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.check_intake()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_since text;
begin
  perform pg_advisory_xact_lock_shared(474700002);
  select x.value into v_since from settings x where x.name = 'intake-paused-since';
  if found then
    raise exception using errcode = 'TL003', message = 'the intake of sessions is paused', detail = v_since;
  end if;
end $function$
;
alter function context.check_intake() owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.claim_session_id(p_partition smallint, p_session uuid, p_home smallint, p_from smallint, OUT home smallint, OUT is_recent boolean, OUT new_claim timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.claim_session_id(smallint,uuid,smallint,smallint) owner to throughline_functions;
grant execute on function context.claim_session_id(smallint,uuid,smallint,smallint) to throughline_app;

CREATE OR REPLACE FUNCTION context.claimable_sessions(p_partition smallint, p_tenant text, p_user text, p_at timestamp with time zone, p_chatmode text, p_agents text[], p_after text, p_tenants integer, p_limit integer)
 RETURNS TABLE(id uuid, tenant text, due_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  -- $1 tenant, $2 chatmode, $3 agent, $8 latest time
  base text := 'select x.id, x.due_at from sessions x
    where x.tenant collate "C" = $1 and x.chatmode = $2 and x.due_at <= $8'
    || case when p_agents is not null then ' and x.active_agent = $3' else '' end
    || case when p_user is not null then ' and x.user_id = $6 and x.partition = $7' else '' end;
  statement text := format(
    'select array_agg(g.id), array_agg(g.due_at)
    from (
      select f.id, f.due_at
      from (
        (%1$s and x.expires_at is null order by x.due_at, x.id limit $5)
        union all
        (%1$s and x.expires_at > $4 order by x.due_at, x.id limit $5)
      ) f
      order by f.due_at, f.id
      limit $5
    ) g', base);
  v_agents text[] := case when p_agents is null then array[null::text]
    else array(select distinct a.name from unnest(p_agents) as a (name)) end;
  -- After p_after; then, from the first again, up to it.
  v_is_again boolean := false;
  v_tenant text := p_after;
  v_next text;
  v_chatmode text;
  v_agent text;
  ids uuid[];
  times timestamptz[];
  more_ids uuid[];
  more_times timestamptz[];
  returned integer := 0;
begin
  perform set_tenant(p_tenant);
  if p_tenant is null and not exists (select 1 from sessions x where x.due_at <= p_at) then
    return;
  end if;
  loop
    if p_tenant is not null then
      exit when v_is_again;
      v_next := p_tenant;
      v_is_again := true;
    else
      select x.tenant into v_next
      from sessions x
      where x.tenant collate "C" > v_tenant and x.due_at is not null
      order by x.tenant collate "C"
      limit 1;
      if v_is_again then
        exit when v_next is null or v_next collate "C" > p_after;
      elsif v_next is null then
        v_is_again := true;
        v_tenant := '';
        continue;
      end if;
    end if;
    v_tenant := v_next;

    ids := null;
    times := null;
    v_chatmode := coalesce(p_chatmode, '');
    loop
      if p_chatmode is null then
        v_chatmode := (
          select x.chatmode
          from sessions x
          where x.tenant collate "C" = v_tenant and x.chatmode > v_chatmode and x.due_at is not null
          order by x.chatmode
          limit 1
        );
        exit when v_chatmode is null;
      end if;
      if exists (
        select 1
        from sessions x
        where x.tenant collate "C" = v_tenant and x.chatmode = v_chatmode and x.due_at <= p_at
      ) then
        foreach v_agent in array v_agents loop
          execute statement into more_ids, more_times
            using v_tenant, v_chatmode, v_agent, p_at, p_limit, p_user, p_partition, coalesce(times[p_limit], p_at);
          if ids is null then
            ids := more_ids;
            times := more_times;
          elsif more_ids is not null then
            select array_agg(g.id), array_agg(g.due_at) into ids, times
            from (
              select f.id, f.due_at
              from unnest(ids || more_ids, times || more_times) as f (id, due_at)
              order by f.due_at, f.id
              limit p_limit
            ) g;
          end if;
        end loop;
      end if;
      exit when p_chatmode is not null;
    end loop;

    if cardinality(ids) > 0 then
      return query
        select f.id, v_tenant, f.due_at
        from unnest(ids, times) with ordinality as f (id, due_at, n)
        order by f.n;
      returned := returned + 1;
      exit when returned = p_tenants;
    end if;
  end loop;
end $function$
;
alter function context.claimable_sessions(smallint,text,text,timestamp with time zone,text,text[],text,integer,integer) owner to throughline_functions;
grant execute on function context.claimable_sessions(smallint,text,text,timestamp with time zone,text,text[],text,integer,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.corpus_id(p_partition smallint, p_tenant text, p_user text, p_corpus text)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  select x.corpus_id
  from context.recall_corpora x
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.corpus = p_corpus
$function$
;
alter function context.corpus_id(smallint,text,text,text) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.count_envelopes(p_partition smallint, p_batch text, p_since timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
begin
  perform set_tenant(null);
  if p_batch is not null then
    return (select count(*) from session_envelopes x where x.batch = p_batch);
  end if;
  return (select count(*) from session_envelopes x where x.updated_at >= p_since);
end $function$
;
alter function context.count_envelopes(smallint,text,timestamp with time zone) owner to throughline_functions;
grant execute on function context.count_envelopes(smallint,text,timestamp with time zone) to throughline_app;

CREATE OR REPLACE FUNCTION context.count_memory_uses(p_partition smallint, p_tenant text, p_user text, p_ids uuid[], p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  v_user memori.memories.user_id%type := p_user;
  v_id uuid;
begin
  perform set_tenant(p_tenant);
  -- Always in the same order, so that two callers cannot deadlock.
  for v_id in select distinct w.id from unnest(p_ids) as w (id) order by 1 loop
    update memori.memories m
    set use_count = coalesce(m.use_count, 0) + 1, last_used_at = p_at
    where m.partition = p_partition and m.user_id = v_user and m.tenant = p_tenant and m.memory_id = v_id;
  end loop;
end $function$
;
alter function context.count_memory_uses(smallint,text,text,uuid[],timestamp with time zone) owner to throughline_functions;
grant execute on function context.count_memory_uses(smallint,text,text,uuid[],timestamp with time zone) to throughline_app;

CREATE OR REPLACE FUNCTION context.count_sessions(p_partition smallint, p_tenant text, p_user text)
 RETURNS TABLE(sessions integer, events bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  return query
    select count(*)::integer, coalesce(sum(x.head), 0)::bigint
    from context.sessions x
    where can_access(x.tenant, x.user_id, p_tenant, p_user);
end $function$
;
alter function context.count_sessions(smallint,text,text) owner to throughline_functions;
grant execute on function context.count_sessions(smallint,text,text) to throughline_app;

CREATE OR REPLACE FUNCTION context.count_terms(p_partition smallint, p_tenant text, p_user text, p_corpus text, p_terms text[])
 RETURNS TABLE(messages integer, terms bigint, long_messages integer, speakers text[], known text[], counts integer[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
declare
  v_corpus_id integer;
begin
  perform set_tenant(p_tenant);
  select x.corpus_id, x.messages, x.terms, x.long_messages into v_corpus_id, messages, terms, long_messages
  from recall_corpora x
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.corpus = p_corpus;
  if v_corpus_id is null then
    return;
  end if;
  speakers := array(
    select x.speaker
    from recall_speakers x
    where x.partition = p_partition and x.corpus_id = v_corpus_id
    order by x.messages desc, x.speaker
    limit 500
  );
  select coalesce(array_agg(x.term), '{}'), coalesce(array_agg(x.messages), '{}') into known, counts
  from recall_terms x
  where x.partition = p_partition and x.corpus_id = v_corpus_id and x.term = any (p_terms);
  return next;
end $function$
;
alter function context.count_terms(smallint,text,text,text,text[]) owner to throughline_functions;
grant execute on function context.count_terms(smallint,text,text,text,text[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.create_session(p_partition smallint, p_session uuid, p_reuse text, p_ignore_pause boolean, p_at timestamp with time zone, p_minute integer, v_tenant text, v_user text, v_conversation text, v_chatmode text, v_workflow text, v_skill text, v_branch text, v_task text, v_state text, v_status json, v_agent text, v_turns integer, v_expires timestamp with time zone, v_metadata json, v_labels text[], v_parent uuid, v_parent_sequence integer, v_due timestamp with time zone, v_scratchpad json, v_version integer, n_persona text, n_subject text, n_issuer text, n_scope text, n_metadata json, n_analysis json, n_created timestamp with time zone, n_updated timestamp with time zone, n_batch text, e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text, e_checksum bytea, OUT outcome text, OUT session_id uuid)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.create_session(smallint,uuid,text,boolean,timestamp with time zone,integer,text,text,text,text,text,text,text,text,text,json,text,integer,timestamp with time zone,json,text[],uuid,integer,timestamp with time zone,json,integer,text,text,text,text,json,json,timestamp with time zone,timestamp with time zone,text,uuid,text,text,text,json,text,text,bytea) owner to throughline_functions;
grant execute on function context.create_session(smallint,uuid,text,boolean,timestamp with time zone,integer,text,text,text,text,text,text,text,text,text,json,text,integer,timestamp with time zone,json,text[],uuid,integer,timestamp with time zone,json,integer,text,text,text,text,json,json,timestamp with time zone,timestamp with time zone,text,uuid,text,text,text,json,text,text,bytea) to throughline_app;

CREATE OR REPLACE FUNCTION context.decide_session(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_version integer, p_turns integer, p_at timestamp with time zone, p_minute integer, p_token uuid, p_key text, p_fingerprint text, p_view json, p_clears boolean, p_lease timestamp with time zone, p_changes_lease boolean, p_seen_turns integer, p_envelope_place integer, e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[], e_checksum bytea[], g_from text[], g_label text[], g_to text[], g_place integer[], g_evidence text[])
 RETURNS TABLE(outcome text, first_sequence integer, last_sequence integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.decide_session(smallint,uuid,text,text,integer,integer,timestamp with time zone,integer,uuid,text,text,json,boolean,timestamp with time zone,boolean,integer,integer,uuid[],text[],text[],text[],json[],text[],text[],bytea[],text[],text[],text[],integer[],text[]) owner to throughline_functions;
grant execute on function context.decide_session(smallint,uuid,text,text,integer,integer,timestamp with time zone,integer,uuid,text,text,json,boolean,timestamp with time zone,boolean,integer,integer,uuid[],text[],text[],text[],json[],text[],text[],bytea[],text[],text[],text[],integer[],text[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.delete_memory_keys(p_partition smallint, p_tenant text, p_user text, p_before timestamp with time zone, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  v_keys integer;
begin
  perform set_tenant(p_tenant);
  with chosen as (
    select x.partition, x.user_id, x.tenant, x.digest
    from memori.memory_keys x
    where x.at < p_before and can_access(x.tenant, x.user_id, p_tenant, p_user)
    order by x.at
    limit p_limit
  )
  delete from memori.memory_keys x using chosen c
  where x.partition = c.partition and x.user_id = c.user_id and x.tenant = c.tenant and x.digest = c.digest
    and x.at < p_before;
  get diagnostics v_keys = row_count;
  return v_keys;
end $function$
;
alter function context.delete_memory_keys(smallint,text,text,timestamp with time zone,integer) owner to throughline_functions;
grant execute on function context.delete_memory_keys(smallint,text,text,timestamp with time zone,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.derive_work(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_tools text, p_from integer, p_to integer, p_state text, g_from text[], g_label text[], g_to text[], g_sequence integer[], g_evidence text[])
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
declare
  s record;
begin
  perform set_tenant(p_tenant);
  select x.tenant, x.user_id into s
  from sessions x
  where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user);
  if s.tenant is not null then
    perform lock_user(s.tenant, s.user_id);
    perform set_tenant(s.tenant);
  end if;
  -- Meanwhile the session may have been purged, and its id may belong to another user.
  if not exists (
    select 1
    from sessions x
    where x.partition = p_partition and x.id = p_session and x.tenant = s.tenant and x.user_id = s.user_id
  ) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  if p_from <> coalesce(
      (
        select m.sequence
        from session_work_marks m
        where m.partition = p_partition and m.session_id = p_session and m.tools = p_tools
      ), 0)
    or not exists (select 1 from sessions x where x.partition = p_partition and x.id = p_session and x.head >= p_to)
  then
    return false;
  end if;
  perform insert_edges(p_partition, p_session, s.tenant, 0, g_from, g_label, g_to, g_sequence, g_evidence, p_tools);
  insert into session_work_marks (partition, session_id, tenant, tools, sequence, state)
  values (p_partition, p_session, s.tenant, p_tools, p_to, p_state)
  on conflict (partition, session_id, tools) do update
  set sequence = excluded.sequence, state = excluded.state;
  return true;
end $function$
;
alter function context.derive_work(smallint,uuid,text,text,text,integer,integer,text,text[],text[],text[],integer[],text[]) owner to throughline_functions;
grant execute on function context.derive_work(smallint,uuid,text,text,text,integer,integer,text,text[],text[],text[],integer[],text[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.discard_import(p_partition smallint, p_session uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_events integer;
begin
  perform set_tenant(null);
  delete from session_imports x where x.partition = p_partition and x.session_id = p_session;
  if not found then
    return 0;
  end if;
  delete from session_events x where x.partition = p_partition and x.session_id = p_session;
  get diagnostics v_events = row_count;
  delete from session_types x where x.partition = p_partition and x.session_id = p_session;
  delete from session_edges x where x.partition = p_partition and x.session_id = p_session;
  delete from session_usage x where x.partition = p_partition and x.session_id = p_session;
  delete from session_directory x where x.partition = p_partition and x.id = p_session;
  return v_events;
end $function$
;
alter function context.discard_import(smallint,uuid) owner to throughline_purge;
grant execute on function context.discard_import(smallint,uuid) to throughline_app;

CREATE OR REPLACE FUNCTION context.due_sessions(p_partition smallint, p_tenant text, p_user text, p_idle_since timestamp with time zone, p_at timestamp with time zone, p_ended_before timestamp with time zone, p_limit integer)
 RETURNS TABLE(id uuid, waiting text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
declare
  v_minute integer := minute_of(p_idle_since);
  returned integer;
  more integer := 0;
begin
  perform set_tenant(p_tenant);
  return query
    select x.id, '1 ' || iso_time(to_timestamp(x.activity_minute * 60.0))
    from sessions x
    where x.ended_at is null and x.activity_minute <= v_minute
      and x.last_activity_at < p_idle_since and can_access(x.tenant, x.user_id, p_tenant, p_user)
    order by x.activity_minute, x.id
    limit p_limit;
  get diagnostics returned = row_count;
  if returned < p_limit then
    return query
      select x.id, '2 ' || iso_time(x.expires_at)
      from sessions x
      where x.ended_at is null and x.expires_at <= p_at and x.last_activity_at >= p_idle_since
        and can_access(x.tenant, x.user_id, p_tenant, p_user)
      order by x.expires_at, x.id
      limit p_limit - returned;
    get diagnostics more = row_count;
  end if;
  if returned + more < p_limit then
    return query
      select x.id, '3 ' || iso_time(x.ended_at)
      from sessions x
      where x.awaits_commit and x.ended_at < p_ended_before and can_access(x.tenant, x.user_id, p_tenant, p_user)
      order by x.ended_at, x.id
      limit p_limit - returned - more;
  end if;
end $function$
;
alter function context.due_sessions(smallint,text,text,timestamp with time zone,timestamp with time zone,timestamp with time zone,integer) owner to throughline_functions;
grant execute on function context.due_sessions(smallint,text,text,timestamp with time zone,timestamp with time zone,timestamp with time zone,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.event_bytes(p_content text, p_parts json)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select octet_length(p_content) + coalesce(octet_length(p_parts::text), 0)
$function$
;
alter function context.event_bytes(text,json) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.event_bytes(e_content text[], e_parts json[])
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select coalesce(sum(context.event_bytes(e.content, e.parts)), 0) from unnest(e_content, e_parts) as e (content, parts)
$function$
;
alter function context.event_bytes(text[],json[]) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.events_at(p_partition smallint, p_tenant text, p_user text, p_session uuid[], p_sequence integer[], p_size integer)
 RETURNS TABLE(session_id uuid, sequence integer, id uuid, type text, role text, content text, parts text, agent_id text, occurred_at text, created_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.events_at(smallint,text,text,uuid[],integer[],integer) owner to throughline_functions;
grant execute on function context.events_at(smallint,text,text,uuid[],integer[],integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.expired_memories(p_partition smallint, p_tenant text, p_user text, p_at timestamp with time zone, p_limit integer, p_size integer)
 RETURNS SETOF context.memory_rows
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  r memory_rows;
  size bigint := 0;
begin
  perform set_tenant(p_tenant);
  for r in
    select m.*
    from memory_rows m
    where m.stored_expiry <= p_at and can_access(m.tenant, m.user_id, p_tenant, p_user)
    order by m.stored_expiry, m.id
    limit p_limit
  loop
    return next r;
    size := size + memory_size(r);
    exit when size >= p_size;
  end loop;
end $function$
;
alter function context.expired_memories(smallint,text,text,timestamp with time zone,integer,integer) owner to throughline_functions;
grant execute on function context.expired_memories(smallint,text,text,timestamp with time zone,integer,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.find_active(p_partition smallint, p_tenant text, p_user text, p_chatmode text, p_conversation text, p_at timestamp with time zone)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.find_active(smallint,text,text,text,text,timestamp with time zone) owner to throughline_functions;
grant execute on function context.find_active(smallint,text,text,text,text,timestamp with time zone) to throughline_app;

CREATE OR REPLACE FUNCTION context.find_envelopes(p_partition smallint, p_ids uuid[])
 RETURNS SETOF context.envelope_views
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
begin
  perform set_tenant(null);
  return query
    select f.*
    from unnest(p_ids) as p (id)
    cross join lateral (
      select v.* from envelope_views v where v.id = p.id offset 0
    ) f;
end $function$
;
alter function context.find_envelopes(smallint,uuid[]) owner to throughline_functions;
grant execute on function context.find_envelopes(smallint,uuid[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.find_import(p_partition smallint, p_session uuid)
 RETURNS TABLE(view context.session_views, importing json, last_event uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  perform set_tenant(null);
  return query
    select v, i.view, e.id
    from (select p_session as id) w
    left join session_views v on v.partition = p_partition and v.id = w.id
    left join session_imports i on i.partition = p_partition and i.session_id = w.id
    join session_events e on e.partition = p_partition and e.session_id = w.id
      and e.sequence = case when v.head is null then i.head else v.head end;
end $function$
;
alter function context.find_import(smallint,uuid) owner to throughline_functions;
grant execute on function context.find_import(smallint,uuid) to throughline_app;

CREATE OR REPLACE FUNCTION context.find_labelled(p_partition smallint, p_tenant text, p_user text, p_label text, p_limit integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  return query execute
    'select session_id from session_labels where tenant = $1 and label = $2'
    || case when p_user is not null then ' and user_id = $3 and partition = $4' else '' end
    || ' limit $5'
    using p_tenant, p_label, p_user, p_partition, p_limit;
end $function$
;
alter function context.find_labelled(smallint,text,text,text,integer) owner to throughline_functions;
grant execute on function context.find_labelled(smallint,text,text,text,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.find_memory_key(p_partition smallint, p_tenant text, p_user text, p_key text, p_fingerprint text)
 RETURNS TABLE(response text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  if p_user is not null then
    return query
      select x.response
      from memori.memory_keys x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.digest = md5(p_key)::uuid
        and x.key = p_key and x.fingerprint = p_fingerprint;
  else
    return query
      select x.response
      from memori.memory_keys x
      where x.fingerprint = p_fingerprint and x.digest = md5(p_key)::uuid and x.key = p_key
        and can_access(x.tenant, x.user_id, p_tenant, p_user)
      limit 1;
  end if;
end $function$
;
alter function context.find_memory_key(smallint,text,text,text,text) owner to throughline_functions;
grant execute on function context.find_memory_key(smallint,text,text,text,text) to throughline_app;

CREATE OR REPLACE FUNCTION context.find_session_id(p_partition smallint, p_session uuid)
 RETURNS TABLE(home smallint, claimed_at timestamp with time zone)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  return query
    select x.home, x.claimed_at from session_directory x where x.partition = p_partition and x.id = p_session;
end $function$
;
alter function context.find_session_id(smallint,uuid) owner to throughline_functions;
grant execute on function context.find_session_id(smallint,uuid) to throughline_app;

CREATE OR REPLACE FUNCTION context.fork_session(p_partition smallint, p_source uuid, p_tenant text, p_user text, p_sequence integer, p_session uuid, p_at timestamp with time zone, p_view json, e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text, e_occurred text, e_checksum bytea)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.fork_session(smallint,uuid,text,text,integer,uuid,timestamp with time zone,json,uuid,text,text,text,json,text,text,bytea) owner to throughline_functions;
grant execute on function context.fork_session(smallint,uuid,text,text,integer,uuid,timestamp with time zone,json,uuid,text,text,text,json,text,text,bytea) to throughline_app;

CREATE OR REPLACE FUNCTION context.free_session_id(p_partition smallint, p_session uuid, p_claimed_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  delete from session_directory x
  where x.partition = p_partition and x.id = p_session and x.claimed_at = p_claimed_at;
end $function$
;
alter function context.free_session_id(smallint,uuid,timestamp with time zone) owner to throughline_functions;
grant execute on function context.free_session_id(smallint,uuid,timestamp with time zone) to throughline_app;

CREATE OR REPLACE FUNCTION context.generation_of(p_run json)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select (p_run -> 'live' ->> 'generation')::integer
$function$
;
alter function context.generation_of(json) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.get_memories(p_partition smallint, p_tenant text, p_user text, p_ids uuid[], p_size integer)
 RETURNS SETOF context.memory_rows
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  r memory_rows;
  size bigint := 0;
  v_id uuid;
begin
  perform set_tenant(p_tenant);
  -- one by one, to read no more of them than fit
  foreach v_id in array p_ids loop
    for r in select m.* from memory_rows m where m.id = v_id and can_access(m.tenant, m.user_id, p_tenant, p_user) loop
      return next r;
      size := size + memory_size(r);
    end loop;
    exit when size >= p_size;
  end loop;
end $function$
;
alter function context.get_memories(smallint,text,text,uuid[],integer) owner to throughline_functions;
grant execute on function context.get_memories(smallint,text,text,uuid[],integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.import_commit(p_partition smallint, p_session uuid, p_chain uuid, p_view json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_block integer;
  v_made timestamptz;
begin
  select max(x.block) into v_block from session_types x where x.partition = p_partition and x.session_id = p_session and x.type = 'session_compacted';
  select x.created_at into v_made
  from session_events x
  where x.partition = p_partition and x.session_id = p_session and x.sequence between v_block * 256 and v_block * 256 + 255
    and x.type = 'session_compacted'
  order by x.sequence desc
  limit 1;
  insert into conversation_commits as x
    (partition, chain, tenant, conversation_id, position, commit_id, session_id, user_id, made_at)
  values (p_partition, p_chain, p_view ->> 'tenant', p_view ->> 'conversationId', (p_view -> 'commit' ->> 'position')::integer,
    p_view -> 'commit' ->> 'id', p_session, p_view ->> 'userId',
    coalesce(v_made, (p_view ->> 'lastActivityAt')::timestamptz))
  on conflict (partition, chain, position) do update
  set purged_at = null, user_id = excluded.user_id
  where x.purged_at is not null;
end $function$
;
alter function context.import_commit(smallint,uuid,uuid,json) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.import_events(p_partition smallint, p_session uuid, p_after integer, p_done boolean, p_view json, e_sequence integer[], e_created timestamp with time zone[], e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[], e_checksum bytea[], g_from text[], g_label text[], g_to text[], g_sequence integer[], g_evidence text[], p_clears_usage boolean, p_usage json)
 RETURNS TABLE(outcome text, current_head integer, other uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  v_tenant text := p_view ->> 'tenant';
  v_user text := p_view ->> 'userId';
  v_chatmode text := p_view ->> 'chatmode';
  v_conversation text := p_view ->> 'conversationId';
  v_commit text := p_view -> 'commit' ->> 'id';
  v_live boolean := p_view ->> 'endedAt' is null;
  v_chain uuid := chain_of(v_tenant, v_user, v_conversation);
  v_now timestamptz := now();
  v_bytes bigint := event_bytes(e_content, e_parts);
  v_locked boolean;
  v_exists boolean := false;
  s record;
begin
  perform set_tenant(null);
  v_locked := p_done or exists (select 1 from sessions x where x.partition = p_partition and x.id = p_session);
  -- Takes the lock of create before any row lock, so that what it checks does not change.
  if v_locked and v_live then
    perform pg_advisory_xact_lock(hashtextextended(json_build_array(v_tenant, v_user, v_chatmode)::text, 4747));
  end if;
  -- Reads the import first: a caller that waited for its end then finds the session.
  select x.tenant, x.user_id, x.head, x.bytes into s from session_imports x where x.partition = p_partition and x.session_id = p_session for update;
  if not found then
    select x.tenant, x.user_id, x.head, x.bytes into s from sessions x where x.partition = p_partition and x.id = p_session for update;
    v_exists := found;
  end if;
  if s.tenant <> v_tenant or s.user_id <> v_user then
    return query select 'owner', null::integer, null::uuid;
    return;
  end if;
  if coalesce(s.head, 0) <> p_after or (v_exists and not v_locked) then
    return query select 'conflict', coalesce(s.head, 0), null::uuid;
    return;
  end if;

  perform set_tenant(v_tenant);
  if p_done or v_exists then
    if v_live then
      select x.session_id into other
      from session_slots x
      where x.partition = p_partition and x.tenant = v_tenant and x.user_id = v_user and x.chatmode = v_chatmode
        and x.conversation_id = v_conversation;
      if other <> p_session then
        return query select 'active', null::integer, other;
        return;
      end if;
    end if;
    if v_commit is not null and exists (
      select 1
      from conversation_commits x
      where x.partition = p_partition and x.chain = v_chain
        and x.position = (p_view -> 'commit' ->> 'position')::integer
        and (x.commit_id <> v_commit or x.session_id <> p_session)
    ) then
      return query select 'commit', null::integer, null::uuid;
      return;
    end if;
  end if;

  perform insert_imported_events(p_partition, p_session, v_tenant, e_sequence, e_created, e_id, e_type, e_role, e_content,
    e_parts, e_agent, e_occurred, e_checksum);
  if cardinality(g_from) > 0 then
    perform insert_edges(p_partition, p_session, v_tenant, 0, g_from, g_label, g_to, g_sequence, g_evidence);
  end if;
  if p_usage is not null then
    perform change_usage(p_partition, p_session, v_tenant, v_user, p_clears_usage, p_usage);
  end if;
  if v_exists then
    if v_live and other is null then
      -- The session had another scope, or had ended.
      delete from session_slots x where x.partition = p_partition and x.session_id = p_session;
      insert into session_slots (partition, tenant, user_id, chatmode, conversation_id, session_id)
      values (p_partition, v_tenant, v_user, v_chatmode, v_conversation, p_session);
    end if;
    perform replace_views(p_partition, p_session, v_tenant, p_view, v_bytes);
  elsif p_done then
    delete from session_imports x where x.partition = p_partition and x.session_id = p_session;
    perform insert_session(p_partition, p_session, p_view, coalesce(s.bytes, 0) + v_bytes);
  else
    insert into session_imports (partition, session_id, tenant, user_id, head, bytes, view, at)
    values (p_partition, p_session, v_tenant, v_user, (p_view ->> 'head')::integer, coalesce(s.bytes, 0) + v_bytes, p_view,
      v_now)
    on conflict (partition, session_id) do update
    set head = excluded.head, bytes = excluded.bytes, view = excluded.view, at = excluded.at;
  end if;
  if v_commit is not null and (p_done or v_exists) then
    perform import_commit(p_partition, p_session, v_chain, p_view);
  end if;
  return query select 'written', (p_view ->> 'head')::integer, null::uuid;
exception when unique_violation then
  -- Another caller started a session with this id, or took the position in the chain, at the same moment.
  perform set_tenant(null);
  return query
    select 'conflict', coalesce(
      (select x.head from sessions x where x.partition = p_partition and x.id = p_session),
      (select x.head from session_imports x where x.partition = p_partition and x.session_id = p_session),
      0
    ), null::uuid;
end $function$
;
alter function context.import_events(smallint,uuid,integer,boolean,json,integer[],timestamp with time zone[],uuid[],text[],text[],text[],json[],text[],text[],bytea[],text[],text[],text[],integer[],text[],boolean,json) owner to throughline_functions;
grant execute on function context.import_events(smallint,uuid,integer,boolean,json,integer[],timestamp with time zone[],uuid[],text[],text[],text[],json[],text[],text[],bytea[],text[],text[],text[],integer[],text[],boolean,json) to throughline_app;

CREATE OR REPLACE FUNCTION context.index_messages(p_partition smallint, p_session uuid, p_from integer, p_to integer, p_version integer, m_turn integer[], m_sequence integer[], m_commit boolean[], m_speaker text[], m_time bigint[], m_length integer[], m_asked integer[], m_specifics integer[], m_times integer[], m_counts boolean[], w_block integer[], w_term text[], w_messages integer[], w_data bytea[], b_block integer[], b_turn integer[], b_messages integer[], b_words integer[], b_long integer[])
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
declare
  s record;
  v_corpus_id integer;
  v_turns integer := 0;
begin
  perform set_tenant(null);
  select x.tenant, x.user_id into s from sessions x where x.partition = p_partition and x.id = p_session;
  if s.tenant is null then
    return null;
  end if;
  perform lock_user(s.tenant, s.user_id);
  perform set_tenant(s.tenant);
  -- Meanwhile the session may be purged, and its id may belong to another user.
  if not exists (
      select 1
      from sessions x
      where x.partition = p_partition and x.id = p_session and x.user_id = s.user_id and x.head >= p_to
    )
    or p_from <> coalesce(
      (select x.indexed from session_marks x where x.partition = p_partition and x.session_id = p_session), 0)
  then
    return false;
  end if;

  if cardinality(m_turn) > 0 then
    v_turns := m_turn[cardinality(m_turn)];
    v_corpus_id := add_words(p_partition, s.tenant, s.user_id, 'messages',
      array_fill(p_session, array[cardinality(w_term)]), w_block, w_term, w_messages, w_data,
      array_fill(p_session, array[cardinality(b_block)]), b_block, b_turn, b_messages, b_words, b_long);
    insert into recall_messages (
      partition, corpus_id, session_id, turn, tenant, sequence, is_commit, speaker, time, length, asked, specifics, times,
      counts
    )
    select p_partition, v_corpus_id, p_session, m.turn, s.tenant, m.sequence, m.is_commit, m.speaker, m.time, m.length,
      m.asked, m.specifics, m.times, m.counts
    from unnest(m_turn, m_sequence, m_commit, m_speaker, m_time, m_length, m_asked, m_specifics, m_times, m_counts)
      as m (turn, sequence, is_commit, speaker, time, length, asked, specifics, times, counts);
    insert into recall_speakers as x (partition, corpus_id, speaker, tenant, messages)
    select p_partition, v_corpus_id, m.speaker, s.tenant, count(*)
    from unnest(m_speaker) as m (speaker)
    group by m.speaker
    on conflict (partition, corpus_id, speaker) do update set messages = x.messages + excluded.messages;
  end if;

  insert into session_marks as x (partition, session_id, tenant, indexed, turns, version)
  values (p_partition, p_session, s.tenant, p_to, v_turns, p_version)
  on conflict (partition, session_id) do update
  set indexed = excluded.indexed, turns = greatest(x.turns, excluded.turns), version = excluded.version;
  return true;
end $function$
;
alter function context.index_messages(smallint,uuid,integer,integer,integer,integer[],integer[],boolean[],text[],bigint[],integer[],integer[],integer[],integer[],boolean[],integer[],text[],integer[],bytea[],integer[],integer[],integer[],integer[],integer[]) owner to throughline_functions;
grant execute on function context.index_messages(smallint,uuid,integer,integer,integer,integer[],integer[],boolean[],text[],bigint[],integer[],integer[],integer[],integer[],boolean[],integer[],text[],integer[],bytea[],integer[],integer[],integer[],integer[],integer[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.insert_edges(p_partition smallint, p_session uuid, p_tenant text, p_head integer, g_from text[], g_label text[], g_to text[], g_place integer[], g_evidence text[], p_tools text DEFAULT ''::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into session_edges
    (partition, session_id, tenant, from_node, label, to_node, sequence, evidence, tools, from_start, to_start, digest)
  select p_partition, p_session, p_tenant, g.from_node, g.label, g.to_node, p_head + g.place, g.evidence::json, p_tools,
    left(g.from_node, 160), left(g.to_node, 160), md5(json_build_array(g.from_node, g.to_node)::text)::uuid
  from unnest(g_from, g_label, g_to, g_place, g_evidence) with ordinality
    as g (from_node, label, to_node, place, evidence, n)
  order by g.n
  on conflict do nothing;
end $function$
;
alter function context.insert_edges(smallint,uuid,text,integer,text[],text[],text[],integer[],text[],text) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.insert_events(p_partition smallint, p_session uuid, p_tenant text, p_head integer, p_at timestamp with time zone, p_key text, p_fingerprint text, e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[], e_checksum bytea[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$
;
alter function context.insert_events(smallint,uuid,text,integer,timestamp with time zone,text,text,uuid[],text[],text[],text[],json[],text[],text[],bytea[]) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.insert_imported_events(p_partition smallint, p_session uuid, p_tenant text, e_sequence integer[], e_created timestamp with time zone[], e_id uuid[], e_type text[], e_role text[], e_content text[], e_parts json[], e_agent text[], e_occurred text[], e_checksum bytea[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into session_events
    (partition, session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at, checksum)
  select p_partition, p_session, e.sequence, e.id, p_tenant, e.type, e.role, e.content, e.parts, e.agent, e.occurred,
    e.created, e.checksum
  from unnest(e_sequence, e_created, e_id, e_type, e_role, e_content, e_parts, e_agent, e_occurred, e_checksum)
    as e (sequence, created, id, type, role, content, parts, agent, occurred, checksum);

  insert into session_types (partition, session_id, tenant, type, block)
  select distinct p_partition, p_session, p_tenant, e.type, e.sequence / 256
  from unnest(e_type, e_sequence) as e (type, sequence)
  on conflict do nothing;
end $function$
;
alter function context.insert_imported_events(smallint,uuid,text,integer[],timestamp with time zone[],uuid[],text[],text[],text[],json[],text[],text[],bytea[]) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.insert_session(p_partition smallint, p_session uuid, v context.input_view, p_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$
;
alter function context.insert_session(smallint,uuid,context.input_view,bigint) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.insert_session(p_partition smallint, p_session uuid, p_view json, p_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform insert_session(p_partition, p_session, json_populate_record(null::context.input_view, p_view), p_bytes);
end $function$
;
alter function context.insert_session(smallint,uuid,json,bigint) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.is_hidden(p_hidden integer[], p_sequence integer)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select p_hidden is not null and exists (
    select 1
    from generate_series(1, cardinality(p_hidden), 2) i
    where p_sequence between p_hidden[i] and p_hidden[i + 1]
  )
$function$
;
alter function context.is_hidden(integer[],integer) owner to throughline_functions;
grant execute on function context.is_hidden(integer[],integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.iso_time(p_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$function$
;
grant execute on function context.iso_time(timestamp with time zone) to public;

CREATE OR REPLACE FUNCTION context.list_asking(p_partition smallint, p_tenant text, p_user text, p_open boolean, p_cursor_at timestamp with time zone, p_cursor_id uuid, p_limit integer)
 RETURNS TABLE(id uuid, requests_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  return query execute
    'select x.id, x.requests_at from sessions x where x.tenant = $1'
    || case when p_open then ' and x.requests is not null' else ' and x.requests_at is not null' end
    || case when p_user is not null then ' and x.user_id = $2 and x.partition = $6' else '' end
    || case when p_cursor_id is not null then ' and (x.requests_at, x.id) < ($3, $4)' else '' end
    || ' order by x.requests_at desc, x.id desc limit $5'
    using p_tenant, p_user, p_cursor_at, p_cursor_id, p_limit, p_partition;
end $function$
;
alter function context.list_asking(smallint,text,text,boolean,timestamp with time zone,uuid,integer) owner to throughline_functions;
grant execute on function context.list_asking(smallint,text,text,boolean,timestamp with time zone,uuid,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.list_descendants(p_partition smallint, p_session uuid, p_tenant text, p_user text)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.list_descendants(smallint,uuid,text,text) owner to throughline_functions;
grant execute on function context.list_descendants(smallint,uuid,text,text) to throughline_app;

CREATE OR REPLACE FUNCTION context.list_envelopes(p_partition smallint, p_after uuid, p_limit integer)
 RETURNS SETOF context.envelope_views
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_sort TO 'off'
AS $function$
begin
  perform set_tenant(null);
  return query
    select v.*
    from envelope_views v
    where v.id >= coalesce(p_after, '00000000-0000-0000-0000-000000000000') and v.id is distinct from p_after
    order by v.id
    limit p_limit;
end $function$
;
alter function context.list_envelopes(smallint,uuid,integer) owner to throughline_functions;
grant execute on function context.list_envelopes(smallint,uuid,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.list_imports(p_partition smallint, p_tenant text, p_user text, p_after uuid, p_limit integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  return query execute
    'select session_id from session_imports where session_id >= $3 and session_id is distinct from $4'
    || case when p_tenant is not null then ' and tenant = $1' else '' end
    || case when p_user is not null then ' and user_id = $2' else '' end
    || ' order by session_id limit $5'
    using p_tenant, p_user, coalesce(p_after, '00000000-0000-0000-0000-000000000000'), p_after, p_limit;
end $function$
;
alter function context.list_imports(smallint,text,text,uuid,integer) owner to throughline_functions;
grant execute on function context.list_imports(smallint,text,text,uuid,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.list_memories(p_partition smallint, p_tenant text, p_user text, p_after uuid, p_limit integer, p_size integer)
 RETURNS SETOF context.memory_rows
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  r memory_rows;
  size bigint := 0;
  v_user memori.memories.user_id%type := p_user;
begin
  perform set_tenant(p_tenant);
  for r in
    select m.*
    from memory_rows m
    where m.partition = p_partition and m.stored_user = v_user and m.tenant = p_tenant
      and m.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
    order by m.id
    limit p_limit
  loop
    return next r;
    size := size + memory_size(r);
    exit when size >= p_size;
  end loop;
end $function$
;
alter function context.list_memories(smallint,text,text,uuid,integer,integer) owner to throughline_functions;
grant execute on function context.list_memories(smallint,text,text,uuid,integer,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.list_sessions(p_partition smallint, p_tenant text, p_user text, p_state text, p_chatmode text, p_agent text, p_conversation text, p_since timestamp with time zone, p_until timestamp with time zone, p_cursor_at timestamp with time zone, p_cursor_id uuid, p_limit integer, p_size integer, p_parent uuid, p_ids uuid[])
 RETURNS SETOF context.sessions
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.list_sessions(smallint,text,text,text,text,text,text,timestamp with time zone,timestamp with time zone,timestamp with time zone,uuid,integer,integer,uuid,uuid[]) owner to throughline_functions;
grant execute on function context.list_sessions(smallint,text,text,text,text,text,text,timestamp with time zone,timestamp with time zone,timestamp with time zone,uuid,integer,integer,uuid,uuid[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.live_run(p_run json)
 RETURNS json
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when p_run -> 'live' is not null then json_build_object('live', p_run -> 'live') end
$function$
;
alter function context.live_run(json) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.load_memory_change(p_partition smallint, p_tenant text, p_user text, p_token uuid, p_key text, p_sessions uuid[], p_session uuid, p_from integer, p_to integer, p_ids uuid[], p_fingerprints text[], p_sources text[])
 RETURNS TABLE(state text, version uuid, key_fingerprint text, response text, memory context.memory_rows)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  v_user memori.memories.user_id%type := p_user;
  v_until timestamptz;
  v_digests uuid[] := array(select md5(w.key)::uuid from unnest(p_sources) as w (key));
begin
  perform set_tenant(p_tenant);
  state := 'loaded';
  if p_token is not null then
    v_until := clock_timestamp() + interval '2 seconds';
    insert into memori.memory_versions as x (partition, user_id, tenant, version, lock_token, locked_until)
    values (p_partition, p_user, p_tenant, gen_random_uuid(), p_token, v_until)
    on conflict (partition, user_id, tenant) do update
    set lock_token = excluded.lock_token, locked_until = excluded.locked_until
    where x.lock_token is null or x.lock_token = excluded.lock_token
      or x.locked_until < excluded.locked_until - interval '2 seconds';
    if not found then
      state := 'locked';
      return next;
      return;
    end if;
  end if;
  -- Before the memories: a change in between is then seen by its version.
  select x.version into version
  from memori.memory_versions x
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant;
  if p_key is not null then
    select x.fingerprint, x.response into key_fingerprint, response
    from memori.memory_keys x
    where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.digest = md5(p_key)::uuid
      and x.key = p_key;
    if found then
      state := 'known';
      return next;
      return;
    end if;
  end if;
  if not may_change_memories(p_partition, p_tenant, p_user, p_sessions, p_session, p_from, p_to) then
    state := 'stale';
    return next;
    return;
  end if;
  return next;
  return query
    with wanted as (
      select w.id from unnest(p_ids) as w (id)
      union
      select l.id
      from unnest(p_fingerprints) as w (fingerprint)
      cross join lateral (
        select m.id, m.partition, m.tenant, m.superseded_by
        from memory_rows m
        where m.stored_user = v_user and m.fingerprint = w.fingerprint
        offset 0
      ) l
      where l.partition = p_partition and l.tenant = p_tenant and l.superseded_by is null
      union
      select x.memory_id
      from memori.memory_sources x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.digest = any (v_digests)
        and x.key = any (p_sources)
      order by 1
    )
    select null::text, null::uuid, null::text, null::text, l.memory
    from wanted w
    cross join lateral (
      select m as memory
      from memory_rows m
      where m.partition = p_partition and m.stored_user = v_user and m.tenant = p_tenant and m.id = w.id
      offset 0
    ) l;
end $function$
;
alter function context.load_memory_change(smallint,text,text,uuid,text,uuid[],uuid,integer,integer,uuid[],text[],text[]) owner to throughline_functions;
grant execute on function context.load_memory_change(smallint,text,text,uuid,text,uuid[],uuid,integer,integer,uuid[],text[],text[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.load_session(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_key text, p_with_commit boolean, p_token uuid, p_holds_appends boolean, OUT view text, OUT fingerprint text, OUT first_sequence integer, OUT last_sequence integer, OUT last_commit json, OUT is_locked boolean)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.load_session(smallint,uuid,text,text,text,boolean,uuid,boolean) owner to throughline_functions;
grant execute on function context.load_session(smallint,uuid,text,text,text,boolean,uuid,boolean) to throughline_app;

CREATE OR REPLACE FUNCTION context.lock_user(p_tenant text, p_user text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended(json_build_array(p_tenant, p_user)::text, 4749));
end $function$
;
alter function context.lock_user(text,text) owner to throughline_functions;
grant execute on function context.lock_user(text,text) to throughline_purge;

CREATE OR REPLACE FUNCTION context.log_size(p_partition smallint, p_session uuid, p_tenant text, p_user text)
 RETURNS TABLE(head integer, bytes bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  return query
    select x.head, x.bytes
    from sessions x
    where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user);
end $function$
;
alter function context.log_size(smallint,uuid,text,text) owner to throughline_functions;
grant execute on function context.log_size(smallint,uuid,text,text) to throughline_app;

CREATE OR REPLACE FUNCTION context.mark_type(p_partition smallint, p_session uuid, p_tenant text, p_type text, p_sequence integer, p_marked_types text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$
;
alter function context.mark_type(smallint,uuid,text,text,integer,text) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.may_change_memories(p_partition smallint, p_tenant text, p_user text, p_sessions uuid[], p_session uuid, p_from integer, p_to integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
AS $function$
begin
  return (
    p_session is null or exists (
      select 1
      from sessions s
      left join session_marks k on k.partition = s.partition and k.session_id = s.id
      where s.partition = p_partition and s.id = p_session and s.tenant = p_tenant and s.user_id = p_user
        and coalesce(k.extracted, 0) = p_from and s.head >= p_to
    )
  ) and not exists (
    select 1
    from unnest(p_sessions) as w (id)
    where not exists (
      select 1
      from sessions s
      where s.partition = p_partition and s.id = w.id and s.tenant = p_tenant and s.user_id = p_user
    )
  );
end $function$
;
alter function context.may_change_memories(smallint,text,text,uuid[],uuid,integer,integer) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.memories_by_source(p_partition smallint, p_tenant text, p_user text, p_key text, p_after uuid, p_limit integer, p_size integer)
 RETURNS SETOF context.memory_rows
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
declare
  r memory_rows;
  size bigint := 0;
  v_user memori.memories.user_id%type := p_user;
begin
  perform set_tenant(p_tenant);
  for r in
    select (l.m).*
    from (
      select x.memory_id
      from memori.memory_sources x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.digest = md5(p_key)::uuid
        and x.key = p_key and x.memory_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
      order by x.memory_id
      limit p_limit
    ) s
    cross join lateral (
      select m
      from memory_rows m
      where m.partition = p_partition and m.stored_user = v_user and m.tenant = p_tenant and m.id = s.memory_id
      offset 0
    ) l
    order by s.memory_id
  loop
    return next r;
    size := size + memory_size(r);
    exit when size >= p_size;
  end loop;
end $function$
;
alter function context.memories_by_source(smallint,text,text,text,uuid,integer,integer) owner to throughline_functions;
grant execute on function context.memories_by_source(smallint,text,text,text,uuid,integer,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.memory_size(m context.memory_rows)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(length(m.content), 0) + coalesce(length(m.metadata::text), 0) + coalesce(length(m.lineage::text), 0)
$function$
;
alter function context.memory_size(context.memory_rows) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.minute_of(p_at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select floor(extract(epoch from p_at) / 60)::integer
$function$
;
alter function context.minute_of(timestamp with time zone) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.next_usage(p_usage bigint[], p_turns integer, p_total bigint[], p_turn bigint[])
 RETURNS bigint[]
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select p_turns::bigint || context.add_numbers(p_usage[2:7], p_total)
    || context.add_numbers(case when p_usage[1] = p_turns then p_usage[8:13] end, p_turn)
$function$
;
alter function context.next_usage(bigint[],integer,bigint[],bigint[]) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.partition_groups()
 RETURNS TABLE(partitions smallint[])
 LANGUAGE sql
 STABLE
AS $function$
  select null::smallint[] where false
$function$
;
grant execute on function context.partition_groups() to public;

CREATE OR REPLACE FUNCTION context.partition_of(p_tenant text, p_user text)
 RETURNS smallint
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'pg_catalog'
AS $function$
declare
  v_bytes bytea := convert_to(p_tenant, 'UTF8') || '\x00'::bytea || convert_to(p_user, 'UTF8');
  v_hash bigint := 2166136261;
begin
  for i in 0 .. length(v_bytes) - 1 loop
    v_hash := ((v_hash # get_byte(v_bytes, i)) * 16777619) & 4294967295;
  end loop;
  return (v_hash # (v_hash >> 10) # (v_hash >> 20)) & 1023;
end $function$
;
grant execute on function context.partition_of(text,text) to public;

CREATE OR REPLACE FUNCTION context.pause_intake(p_partition smallint, p_since text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  perform pg_advisory_xact_lock(474700002);
  if p_since is null then
    delete from settings x where x.name = 'intake-paused-since';
  else
    insert into settings (name, value) values ('intake-paused-since', p_since) on conflict do nothing;
  end if;
end $function$
;
alter function context.pause_intake(smallint,text) owner to throughline_functions;
grant execute on function context.pause_intake(smallint,text) to throughline_app;

CREATE OR REPLACE FUNCTION context.paused_since(p_partition smallint)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  return (select x.value from settings x where x.name = 'intake-paused-since');
end $function$
;
alter function context.paused_since(smallint) owner to throughline_functions;
grant execute on function context.paused_since(smallint) to throughline_app;

CREATE OR REPLACE FUNCTION context.purge_memories(p_partition smallint, p_tenant text, p_user text, p_limit integer)
 RETURNS TABLE(memories integer, keys integer, has_more boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
declare
  v_user memori.memories.user_id%type := p_user;
  v_left integer := p_limit;
  v_count integer;
  v_corpora integer[];
  v_table text;
begin
  perform lock_user(p_tenant, p_user);
  perform set_tenant(p_tenant);
  update recall_corpora x
  set corpus = 'purged:' || x.corpus_id
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.corpus not like 'purged:%';
  if found then
    update session_marks x
    set indexed = 0, turns = 0
    from sessions s
    where s.partition = p_partition and s.tenant = p_tenant and s.user_id = p_user and x.partition = p_partition
      and x.session_id = s.id;
  end if;

  foreach v_table in array array['memory_history', 'memory_sources', 'memory_keys', 'memory_versions'] loop
    execute format(
        'delete from memori.%1$I where ctid = any (array(
          select x.ctid from memori.%1$I x where x.partition = $1 and x.user_id = $2 and x.tenant = $3 limit $4
        ))', v_table)
      using p_partition, p_user, p_tenant, v_left;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
    if v_table = 'memory_keys' then
      keys := v_count;
    end if;
  end loop;
  delete from memori.memories
  where ctid = any (array(
    select m.ctid
    from memori.memories m
    where m.partition = p_partition and m.user_id = v_user and m.tenant = p_tenant
    limit v_left
  ));
  get diagnostics memories = row_count;
  v_left := v_left - memories;

  select coalesce(array_agg(x.corpus_id), '{}') into v_corpora
  from recall_corpora x
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.corpus like 'purged:%';
  foreach v_table in array array[
    'recall_terms', 'recall_speakers', 'recall_postings', 'recall_blocks', 'recall_messages', 'recall_corpora'
  ] loop
    execute format(
        'delete from context.%1$I where ctid = any (array(
          select x.ctid from context.%1$I x where x.partition = $1 and x.corpus_id = any ($2) limit $3
        ))', v_table)
      using p_partition, v_corpora, v_left;
    get diagnostics v_count = row_count;
    v_left := v_left - v_count;
  end loop;
  has_more := v_left = 0;
  return next;
end $function$
;
alter function context.purge_memories(smallint,text,text,integer) owner to throughline_functions;
grant execute on function context.purge_memories(smallint,text,text,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.purge_session(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_at timestamp with time zone)
 RETURNS TABLE(events integer, keys integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.purge_session(smallint,uuid,text,text,timestamp with time zone) owner to throughline_purge;
grant execute on function context.purge_session(smallint,uuid,text,text,timestamp with time zone) to throughline_app;
grant execute on function context.purge_session(smallint,uuid,text,text,timestamp with time zone) to throughline_functions;

CREATE OR REPLACE FUNCTION context.read_checksums(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_after integer, p_before integer)
 RETURNS SETOF text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
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
end $function$
;
alter function context.read_checksums(smallint,uuid,text,text,integer,integer) owner to throughline_functions;
grant execute on function context.read_checksums(smallint,uuid,text,text,integer,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_commits(p_partition smallint, p_tenant text, p_conversation text, p_user text, p_after integer, p_after_commit text, p_limit integer)
 RETURNS SETOF context.conversation_commits
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
declare
  v_chain uuid;
begin
  perform set_tenant(p_tenant);
  if p_user is not null then
    v_chain := chain_of(p_tenant, p_user, p_conversation);
    return query
      select x.*
      from conversation_commits x
      where x.partition = p_partition and x.chain = v_chain and (x.position, x.commit_id) > (p_after, p_after_commit)
        and x.user_id = p_user
      order by x.position
      limit p_limit;
  else
    return query
      select x.*
      from conversation_commits x
      where x.tenant = p_tenant and x.conversation_id = p_conversation
        and (x.position, x.commit_id) > (p_after, p_after_commit)
      order by x.position, x.commit_id
      limit p_limit;
  end if;
end $function$
;
alter function context.read_commits(smallint,text,text,text,integer,text,integer) owner to throughline_functions;
grant execute on function context.read_commits(smallint,text,text,text,integer,text,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_edges(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_nodes text[], p_direction text, p_labels text[], p_from text, p_label text, p_to text, p_sequence integer, p_limit integer, p_size integer, p_tools text)
 RETURNS TABLE(from_node text, label text, to_node text, sequence integer, evidence text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  base text := 'select from_node, label, to_node, sequence, evidence::text from session_edges
    where partition = $10 and session_id = $1'
    || case when p_tools is null then ' and tools = ''''' else ' and tools in ('''', $11)' end
    || case when p_labels is not null then ' and label = any ($3)' else '' end
    || case when p_from is not null
       then ' and from_start >= left($4, 160) and (from_node, label, to_node, sequence) > ($4, $5, $6, $7)' else '' end;
  outgoing text := ' and from_start = any ($9) and from_node = any ($2)';
  incoming text := ' and to_start = any ($9) and to_node = any ($2)';
  node_starts text[] := array(select left(n, 160) from unnest(p_nodes) as n);
  size bigint := 0;
begin
  perform set_tenant(p_tenant);
  if not exists (
    select 1
    from sessions x
    where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user)
  ) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  for from_node, label, to_node, sequence, evidence in execute
    case
      -- The order by start is also the order by node.
      when p_nodes is null then base || ' order by from_start, from_node, label, to_node, sequence'
      when p_direction = 'out' then base || outgoing || ' order by 1, 2, 3, 4'
      when p_direction = 'in' then base || incoming || ' order by 1, 2, 3, 4'
      else base || outgoing || ' union all ' || base || incoming || ' and from_node <> all ($2) order by 1, 2, 3, 4'
    end
    || ' limit $8'
    using p_session, p_nodes, p_labels, p_from, p_label, p_to, p_sequence, p_limit, node_starts, p_partition, p_tools
  loop
    return next;
    size := size + length(from_node) + length(to_node) + length(evidence);
    exit when size >= p_size;
  end loop;
end $function$
;
alter function context.read_edges(smallint,uuid,text,text,text[],text,text[],text,text,text,integer,integer,integer,text) owner to throughline_functions;
grant execute on function context.read_edges(smallint,uuid,text,text,text[],text,text[],text,text,text,integer,integer,integer,text) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_events(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_after integer, p_before integer, p_newest_first boolean, p_limit integer, p_types text[], p_turns integer, p_inline integer, p_line boolean, p_hidden integer[])
 RETURNS SETOF context.event_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
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
end $function$
;
alter function context.read_events(smallint,uuid,text,text,integer,integer,boolean,integer,text[],integer,integer,boolean,integer[]) owner to throughline_functions;
grant execute on function context.read_events(smallint,uuid,text,text,integer,integer,boolean,integer,text[],integer,integer,boolean,integer[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_hidden(p_partition smallint, p_tenant text, p_user text, p_sessions uuid[])
 RETURNS TABLE(session_id uuid, hidden integer[])
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  return query
    select x.id, x.hidden
    from unnest(p_sessions) as p (id)
    join sessions x on x.partition = p_partition and x.id = p.id
    where x.tenant = p_tenant and x.user_id = p_user and x.hidden is not null;
end $function$
;
alter function context.read_hidden(smallint,text,text,uuid[]) owner to throughline_functions;
grant execute on function context.read_hidden(smallint,text,text,uuid[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_mark(p_partition smallint, p_session uuid)
 RETURNS SETOF context.mark_row
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(null);
  return query
    select s.id, s.tenant, s.user_id, s.head, coalesce(m.indexed, 0), coalesce(m.turns, 0), coalesce(m.version, 0),
      coalesce(m.extracted, 0), coalesce((s.forked_from ->> 'sequence')::integer, 0)
    from sessions s
    left join session_marks m on m.partition = s.partition and m.session_id = s.id
    where s.partition = p_partition and s.id = p_session;
end $function$
;
alter function context.read_mark(smallint,uuid) owner to throughline_functions;
grant execute on function context.read_mark(smallint,uuid) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_marks(p_partition smallint, p_tenant text, p_user text, p_version integer, p_newest integer)
 RETURNS SETOF context.mark_row
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  return query
    select s.id, s.tenant, s.user_id, s.head, coalesce(m.indexed, 0), coalesce(m.turns, 0), coalesce(m.version, 0),
      coalesce(m.extracted, 0), coalesce((s.forked_from ->> 'sequence')::integer, 0)
    from (
      select x.*
      from sessions x
      where x.partition = p_partition and x.tenant = p_tenant and x.user_id = p_user
      order by x.activity_minute desc, x.last_activity_at desc, x.id desc
      limit p_newest
    ) s
    left join session_marks m on m.partition = s.partition and m.session_id = s.id
    where m.session_id is null or m.indexed < s.head or m.version < p_version
    order by s.activity_minute desc, s.last_activity_at desc, s.id desc;
end $function$
;
alter function context.read_marks(smallint,text,text,integer,integer) owner to throughline_functions;
grant execute on function context.read_marks(smallint,text,text,integer,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_memory_history(p_partition smallint, p_tenant text, p_user text, p_memory uuid, p_after integer, p_limit integer, p_size integer)
 RETURNS TABLE(version integer, at timestamp with time zone, change text, confidence double precision, source json, note text, by_memory uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  size bigint := 0;
begin
  perform set_tenant(p_tenant);
  for version, at, change, confidence, source, note, by_memory in
    select h.version, h.at, h.change, h.confidence::double precision, h.source, h.note, h.by_memory
    from memori.memories m
    join memori.memory_history h on h.partition = m.partition and h.user_id = m.user_id::text and h.tenant = m.tenant
      and h.memory_id = m.memory_id
    where m.memory_id = p_memory and can_access(m.tenant, m.user_id::text, p_tenant, p_user) and h.version > p_after
    order by h.version
    limit p_limit
  loop
    return next;
    size := size + coalesce(length(note), 0);
    exit when size >= p_size;
  end loop;
end $function$
;
alter function context.read_memory_history(smallint,text,text,uuid,integer,integer,integer) owner to throughline_functions;
grant execute on function context.read_memory_history(smallint,text,text,uuid,integer,integer,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_message_facts(p_partition smallint, p_tenant text, p_user text, p_place_session uuid[], p_place_turn integer[], p_sessions uuid[], p_last integer, p_since bigint, p_until bigint, p_limit integer)
 RETURNS SETOF context.recall_messages
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
AS $function$
declare
  v_corpus_id integer;
begin
  perform set_tenant(p_tenant);
  v_corpus_id := corpus_id(p_partition, p_tenant, p_user, 'messages');
  return query
    with wanted as (
      select p.session_id, p.turn from unnest(p_place_session, p_place_turn) as p (session_id, turn)
      union
      select l.session_id, l.turn
      from unnest(p_sessions) as p (session_id)
      cross join lateral (
        select x.session_id, x.turn
        from recall_messages x
        where x.partition = p_partition and x.corpus_id = v_corpus_id and x.session_id = p.session_id
        order by x.turn desc
        limit p_last
      ) l
      union
      (
        select x.session_id, x.turn
        from recall_messages x
        where x.partition = p_partition and x.corpus_id = v_corpus_id and x.time >= p_since and x.time < p_until
        order by x.time desc, x.session_id desc, x.turn desc
        limit p_limit
      )
    )
    select f.*
    from wanted w
    cross join lateral (
      select x.*
      from recall_messages x
      where x.partition = p_partition and x.corpus_id = v_corpus_id and x.session_id = w.session_id and x.turn = w.turn
      offset 0
    ) f
    order by f.session_id, f.turn;
end $function$
;
alter function context.read_message_facts(smallint,text,text,uuid[],integer[],uuid[],integer,bigint,bigint,integer) owner to throughline_functions;
grant execute on function context.read_message_facts(smallint,text,text,uuid[],integer[],uuid[],integer,bigint,bigint,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_postings(p_partition smallint, p_tenant text, p_user text, p_corpus text, p_terms text[], p_limit integer)
 RETURNS TABLE(term text, packed bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
declare
  v_corpus_id integer;
begin
  perform set_tenant(p_tenant);
  v_corpus_id := corpus_id(p_partition, p_tenant, p_user, p_corpus);
  foreach term in array p_terms loop
    select string_agg(uuid_send(b.session_id) || int4send(b.block) || int4send(length(b.data)) || b.data, ''::bytea)
    into packed
    from (
      select x.session_id, x.block, x.data
      from recall_postings x
      where x.partition = p_partition and x.corpus_id = v_corpus_id and x.term = read_postings.term
      order by x.session_id desc, x.block desc
      limit p_limit
    ) b;
    if packed is not null then
      return next;
    end if;
  end loop;
end $function$
;
alter function context.read_postings(smallint,text,text,text,text[],integer) owner to throughline_functions;
grant execute on function context.read_postings(smallint,text,text,text,text[],integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_record(p_partition smallint, p_session uuid, p_tenant text, p_user text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
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
end $function$
;
alter function context.read_record(smallint,uuid,text,text) owner to throughline_functions;
grant execute on function context.read_record(smallint,uuid,text,text) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_session(p_partition smallint, p_session uuid, p_tenant text, p_user text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_tenant_scope text := set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
begin
  return (
    select row_to_json(v)
    from session_views v
    where v.partition = p_partition and v.id = p_session and can_access(v.tenant, v.user_id, p_tenant, p_user)
  );
end $function$
;
alter function context.read_session(smallint,uuid,text,text) owner to throughline_functions;
grant execute on function context.read_session(smallint,uuid,text,text) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_spans(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_after integer, p_before integer, p_newest_first boolean, p_limit integer, p_types text[], p_turns integer, p_inline integer, p_hidden integer[])
 RETURNS SETOF context.event_row
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.read_spans(smallint,uuid,text,text,integer,integer,boolean,integer,text[],integer,integer,integer[]) owner to throughline_functions;
grant execute on function context.read_spans(smallint,uuid,text,text,integer,integer,boolean,integer,text[],integer,integer,integer[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_state(p_partition smallint, p_session uuid, p_tenant text, p_user text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
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
end $function$
;
alter function context.read_state(smallint,uuid,text,text) owner to throughline_functions;
grant execute on function context.read_state(smallint,uuid,text,text) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_texts(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_sequences integer[], p_size integer)
 RETURNS TABLE(sequence integer, content text, parts text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
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
end $function$
;
alter function context.read_texts(smallint,uuid,text,text,integer[],integer) owner to throughline_functions;
grant execute on function context.read_texts(smallint,uuid,text,text,integer[],integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_usage_rows(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_day text, p_model text, p_limit integer)
 RETURNS TABLE(day text, model text, sums bigint[])
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  s record;
begin
  perform set_tenant(p_tenant);
  select x.tenant, x.user_id into s from sessions x where x.partition = p_partition and x.id = p_session;
  if s.tenant is null or not can_access(s.tenant, s.user_id, p_tenant, p_user) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  return query
    select x.day, x.model, array[x.messages, x.input_tokens, x.output_tokens, x.cache_read_tokens, x.cache_write_tokens,
      x.cost_nano]
    from session_usage x
    where x.partition = p_partition and x.session_id = p_session and (x.day, x.model) > (p_day, p_model)
    order by x.day, x.model
    limit p_limit;
end $function$
;
alter function context.read_usage_rows(smallint,uuid,text,text,text,text,integer) owner to throughline_functions;
grant execute on function context.read_usage_rows(smallint,uuid,text,text,text,text,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.read_work_mark(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_tools text)
 RETURNS TABLE(head integer, sequence integer, state text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  return query
    select s.head, coalesce(m.sequence, 0), coalesce(m.state, '')
    from sessions s
    left join session_work_marks m on m.partition = s.partition and m.session_id = s.id and m.tools = p_tools
    where s.partition = p_partition and s.id = p_session and can_access(s.tenant, s.user_id, p_tenant, p_user);
  if not found then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
end $function$
;
alter function context.read_work_mark(smallint,uuid,text,text,text) owner to throughline_functions;
grant execute on function context.read_work_mark(smallint,uuid,text,text,text) to throughline_app;

CREATE OR REPLACE FUNCTION context.remove_envelopes(p_partition smallint, p_batch text, p_since timestamp with time zone, p_limit integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
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
end $function$
;
alter function context.remove_envelopes(smallint,text,timestamp with time zone,integer) owner to throughline_functions;
grant execute on function context.remove_envelopes(smallint,text,timestamp with time zone,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.remove_words(p_partition smallint, p_tenant text, p_user text, p_corpus text, p_sessions uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  v_corpus_id integer := corpus_id(p_partition, p_tenant, p_user, p_corpus);
  v_session uuid;
  b record;
  w text;
  n integer;
  removed_terms text[] := '{}';
  removed_messages integer[] := '{}';
begin
  if v_corpus_id is null then
    return;
  end if;
  foreach v_session in array p_sessions loop
    for b in
      delete from recall_blocks x
      where x.partition = p_partition and x.corpus_id = v_corpus_id and x.session_id = v_session
      returning x.block, x.terms, x.messages, x.words, x.long_messages
    loop
      foreach w in array b.terms loop
        delete from recall_postings x
        where x.partition = p_partition and x.corpus_id = v_corpus_id and x.term = w and x.session_id = v_session and x.block = b.block
        returning x.messages into n;
        removed_terms := removed_terms || w;
        removed_messages := removed_messages || n;
      end loop;
      update recall_corpora x
      set messages = x.messages - b.messages, terms = x.terms - b.words, long_messages = x.long_messages - b.long_messages
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.corpus = p_corpus;
    end loop;
    if p_corpus = 'messages' then
      for b in
        with messages as (
          delete from recall_messages x
          where x.partition = p_partition and x.corpus_id = v_corpus_id and x.session_id = v_session
          returning x.speaker
        )
        select m.speaker, count(*) as messages from messages m group by m.speaker
      loop
        update recall_speakers x
        set messages = x.messages - b.messages
        where x.partition = p_partition and x.corpus_id = v_corpus_id and x.speaker = b.speaker;
        delete from recall_speakers x
        where x.partition = p_partition and x.corpus_id = v_corpus_id and x.speaker = b.speaker and x.messages <= 0;
      end loop;
    end if;
  end loop;

  for w in
    with decreased as (
      insert into recall_terms as x (partition, corpus_id, term, tenant, messages)
      select p_partition, v_corpus_id, g.term, p_tenant, - sum(g.messages)
      from unnest(removed_terms, removed_messages) as g (term, messages)
      group by g.term
      on conflict (partition, corpus_id, term) do update set messages = x.messages + excluded.messages
      returning x.term, x.messages
    )
    select l.term from decreased l where l.messages <= 0
  loop
    delete from recall_terms x where x.partition = p_partition and x.corpus_id = v_corpus_id and x.term = w;
  end loop;
  delete from recall_corpora x
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.corpus = p_corpus
    and x.messages <= 0;
end $function$
;
alter function context.remove_words(smallint,text,text,text,uuid[]) owner to throughline_functions;
grant execute on function context.remove_words(smallint,text,text,text,uuid[]) to throughline_purge;

CREATE OR REPLACE FUNCTION context.renew_lease(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_generation integer, p_at timestamp with time zone, p_until timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  update sessions x
  set lease_until = greatest(x.lease_until, p_until),
      due_at = case when x.due_at is not null then greatest(x.lease_until, p_until) end
  where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user)
    and x.run_generation = p_generation and x.lease_until > p_at;
  if found then
    return true;
  end if;
  if not exists (
    select 1
    from sessions x
    where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user)
  ) then
    raise exception using errcode = 'TL001', message = 'no such session';
  end if;
  return false;
end $function$
;
alter function context.renew_lease(smallint,uuid,text,text,integer,timestamp with time zone,timestamp with time zone) owner to throughline_functions;
grant execute on function context.renew_lease(smallint,uuid,text,text,integer,timestamp with time zone,timestamp with time zone) to throughline_app;

CREATE OR REPLACE FUNCTION context.repair_session(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_head integer, p_view json, p_usage json, p_bytes bigint, g_from text[], g_label text[], g_to text[], g_sequence integer[], g_evidence text[])
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
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
end $function$
;
alter function context.repair_session(smallint,uuid,text,text,integer,json,json,bigint,text[],text[],text[],integer[],text[]) owner to throughline_functions;
grant execute on function context.repair_session(smallint,uuid,text,text,integer,json,json,bigint,text[],text[],text[],integer[],text[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.replace_views(p_partition smallint, p_session uuid, p_tenant text, p_view json, p_bytes bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_envelope_at integer := (p_view ->> 'envelopeAt')::integer;
  v_active timestamptz := (p_view ->> 'lastActivityAt')::timestamptz;
  v_minute integer := minute_of(v_active);
begin
  if p_view -> 'envelope' is not null then
    -- Deleted first: the trigger would take an update with the same sequence for one by hand.
    delete from session_envelopes x where x.partition = p_partition and x.session_id = p_session;
    perform write_envelope(p_partition, p_session, p_tenant, v_envelope_at, p_view);
  end if;
  perform write_view(p_partition, p_session, p_view);
  update sessions x
  set head = (p_view ->> 'head')::integer, turns = (p_view ->> 'turns')::integer,
      bytes = x.bytes + p_bytes, cleared_at = (p_view ->> 'clearedAt')::integer, last_activity_at = v_active,
      activity_minute = v_minute, envelope_at = v_envelope_at, decision_version = x.decision_version + 1,
      usage = (json_populate_record(null::context.input_view, p_view)).usage
  where x.partition = p_partition and x.id = p_session;
end $function$
;
alter function context.replace_views(smallint,uuid,text,json,bigint) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.require_rows(p_what text, p_expected bigint, p_touched bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if p_touched <> p_expected then
    raise exception using errcode = 'TL002', message = format(
      'the migration stopped: %s: %s of %s rows; migrate as the owner of the table, on one plain Postgres', p_what,
      p_touched, p_expected);
  end if;
end $function$
;
alter function context.require_rows(text,bigint,bigint) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.schema_version()
 RETURNS TABLE(version integer, checksum text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$select m.version, m.checksum from context.throughline_migrations m order by m.version$function$
;
grant execute on function context.schema_version() to public;

CREATE OR REPLACE FUNCTION context.session_exists(p_partition smallint, p_session uuid)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
declare
  v_tenant_scope text := set_config('throughline.tenant', '*', true);
begin
  return case
    when exists (select 1 from sessions x where x.partition = p_partition and x.id = p_session) then 'session'
    when exists (select 1 from session_imports x where x.partition = p_partition and x.session_id = p_session) then 'import'
  end;
end $function$
;
alter function context.session_exists(smallint,uuid) owner to throughline_functions;
grant execute on function context.session_exists(smallint,uuid) to throughline_app;

CREATE OR REPLACE FUNCTION context.session_ids(p_partition smallint, p_tenant text, p_user text, p_after uuid, p_limit integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  return query execute
    'select id from sessions where true'
    || case when p_tenant is not null then ' and tenant = $2' else '' end
    || case when p_user is not null then ' and user_id = $3 and partition = $1' else '' end
    || case when p_after is not null then ' and id > $4' else '' end
    || ' order by id limit $5'
    using p_partition, p_tenant, p_user, p_after, p_limit;
end $function$
;
alter function context.session_ids(smallint,text,text,uuid,integer) owner to throughline_functions;
grant execute on function context.session_ids(smallint,text,text,uuid,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.sessions_to_index(p_partition smallint, p_tenant text, p_user text, p_version integer, p_after uuid, p_limit integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_sort TO 'off'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  return query execute
    'select s.id
    from sessions s
    left join session_marks m on m.partition = s.partition and m.session_id = s.id
    where s.id > coalesce($5, ''00000000-0000-0000-0000-000000000000'')
      and (m.session_id is null or m.indexed < s.head or m.version < $4
        or (s.ended_at is not null and m.extracted < s.head))'
    || case when p_tenant is not null then ' and s.tenant = $2' else '' end
    || case when p_user is not null then ' and s.user_id = $3 and s.partition = $1' else '' end
    || ' order by s.id limit $6'
    using p_partition, p_tenant, p_user, p_version, p_after, p_limit;
end $function$
;
alter function context.sessions_to_index(smallint,text,text,integer,uuid,integer) owner to throughline_functions;
grant execute on function context.sessions_to_index(smallint,text,text,integer,uuid,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.set_envelope_updated_at()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.updated_at := now();
  return new;
end $function$
;
alter function context.set_envelope_updated_at() owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.set_memory_partition()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  new.partition := context.partition_of(new.tenant, new.user_id::text);
  return new;
end $function$
;
grant execute on function context.set_memory_partition() to public;

CREATE OR REPLACE FUNCTION context.set_tenant(p_tenant text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('throughline.tenant', coalesce(p_tenant, '*'), true);
end $function$
;
alter function context.set_tenant(text) owner to throughline_functions;
grant execute on function context.set_tenant(text) to throughline_purge;

CREATE OR REPLACE FUNCTION context.short_content(p_content text, p_most integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when octet_length(p_content) <= p_most then p_content end
$function$
;
alter function context.short_content(text,integer) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.short_parts(p_parts json, p_most integer)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when pg_column_size(p_parts) <= 500 then p_parts::text
    when pg_column_size(p_parts) > p_most or octet_length(p_parts::text) > p_most then ''
    else p_parts::text
  end
$function$
;
alter function context.short_parts(json,integer) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.store_secret(p_partition smallint, p_candidate text)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
declare
  v_secret text := (select x.value from settings x where x.name = 'id-secret');
begin
  if v_secret is not null then
    return v_secret;
  end if;
  insert into settings (name, value) values ('id-secret', p_candidate) on conflict do nothing;
  return (select x.value from settings x where x.name = 'id-secret');
end $function$
;
alter function context.store_secret(smallint,text) owner to throughline_functions;
grant execute on function context.store_secret(smallint,text) to throughline_app;

CREATE OR REPLACE FUNCTION context.sum_storage(p_partition smallint, p_kind text, p_by text, p_tenant text, p_user text, p_position text[], p_rows integer, OUT groups json, OUT last text[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  v_set integer := case when p_tenant is null then 0 when p_user is null then 1 else 2 end;
  v_columns text[] := (array['tenant', 'user_id'])[v_set + 1:]
    || case p_kind when 'sessions' then array['activity_minute', 'id'] else array['id'] end;
  v_types text[] := (array['text', 'text'])[v_set + 1:]
    || case p_kind when 'sessions' then array['integer', 'uuid'] else array['uuid'] end;
  v_position text := (select string_agg(format('$3[%s]::%s', n, t), ', ' order by n)
    from unnest(v_types) with ordinality as t (t, n));
  v_order text := array_to_string(v_columns, ', ');
begin
  perform set_tenant(p_tenant);
  execute format(
      'with piece as materialized (
        select tenant, user_id, id, %1$s from %2$s x where %3$s order by %4$s limit $4
      )
      select
        (select json_agg(g) from (
          select json_build_array(p.%5$I, count(*), sum(p.events), sum(p.bytes)) as g from piece p group by p.%5$I
        ) q),
        (select array[%6$s] from piece offset $4 - 1)',
      case p_kind when 'sessions' then 'activity_minute, head as events, bytes'
        else '0 as events, octet_length(content) + coalesce(octet_length(metadata::text), 0) as bytes' end,
      case p_kind when 'sessions' then 'sessions' else 'memory_rows' end,
      'true'
        || case when p_tenant is not null then ' and x.tenant = $1' else '' end
        || case when p_user is not null then ' and x.user_id = $2' else '' end
        || case when v_set = 2 then ' and x.partition = $5' else '' end
        || case when p_position is not null then format(' and (%s) > (%s)', v_order, v_position) else '' end,
      v_order, p_by, array_to_string(array(select c || '::text' from unnest(v_columns) as c), ', '))
    into groups, last
    using p_tenant, p_user, p_position, p_rows, p_partition;
end $function$
;
alter function context.sum_storage(smallint,text,text,text,text,text[],integer) owner to throughline_functions;
grant execute on function context.sum_storage(smallint,text,text,text,text,text[],integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.sum_usage(p_partition smallint, p_by text, p_tenant text, p_user text, p_since text, p_until text, p_after text, p_position text[], p_rows integer, OUT groups json, OUT last text[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
declare
  first text := case when p_tenant is null then 'tenant' when p_by = 'user_id' and p_user is null then 'user_id' end;
  columns text := concat_ws(', ', first, 'day, session_id, model');
  position text := case when first is null then '$6[1], $6[2]::uuid, $6[3]' else '$6[1], $6[2], $6[3]::uuid, $6[4]' end;
begin
  perform set_tenant(p_tenant);
  execute format(
      'with piece as materialized (
        select * from session_usage x where %1$s order by %2$s limit $7
      )
      select
        (
          select json_agg(g)
          from (
            select p.%3$I as key, array[sum(p.messages), sum(p.input_tokens), sum(p.output_tokens),
              sum(p.cache_read_tokens), sum(p.cache_write_tokens), sum(p.cost_nano)] as sums
            from piece p
            where ($3 is null or p.day >= $3) and ($4 is null or p.day < $4) and ($5 is null or p.%4$I > $5)
              and not exists (
                select 1 from session_imports i where i.partition = p.partition and i.session_id = p.session_id
              )
            group by 1
          ) g
        ),
        (select array[%5$s] from piece offset $7 - 1)',
      'true'
        || case when p_tenant is not null then ' and x.tenant = $1' else '' end
        || case when p_user is not null then ' and x.user_id = $2' else '' end
        || case when p_user is not null and p_tenant is not null then ' and x.partition = $8' else '' end
        || case when p_position is not null then format(' and (%s) > (%s)', columns, position)
           when p_after is not null and p_by = coalesce(first, 'day') then format(' and x.%I > $5', p_by)
           when p_since is not null and first is null then ' and x.day >= $3' else '' end
        || case when p_until is not null and first is null then ' and x.day < $4' else '' end,
      columns, p_by, p_by, replace(columns, 'session_id', 'session_id::text'))
    into groups, last
    using p_tenant, p_user, p_since, p_until, p_after, p_position, p_rows, p_partition;
end $function$
;
alter function context.sum_usage(smallint,text,text,text,text,text,text,text[],integer) owner to throughline_functions;
grant execute on function context.sum_usage(smallint,text,text,text,text,text,text,text[],integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.takes_work(p_state text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select p_state in ('running', 'interrupted')
$function$
;
alter function context.takes_work(text) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.unindex_session(p_partition smallint, p_session uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
declare
  s record;
begin
  perform set_tenant(null);
  select x.tenant, x.user_id into s from sessions x where x.partition = p_partition and x.id = p_session;
  if s.tenant is not null then
    perform lock_user(s.tenant, s.user_id);
    perform set_tenant(s.tenant);
    perform remove_words(p_partition, s.tenant, s.user_id, 'messages', array[p_session]);
    update session_marks x set indexed = 0, turns = 0 where x.partition = p_partition and x.session_id = p_session;
    return true;
  end if;
  return null;
end $function$
;
alter function context.unindex_session(smallint,uuid) owner to throughline_functions;
grant execute on function context.unindex_session(smallint,uuid) to throughline_app;

CREATE OR REPLACE FUNCTION context.unindexed_memories(p_partition smallint, p_tenant text, p_user text, p_version integer, p_limit integer, p_size integer)
 RETURNS SETOF context.memory_rows
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  r memory_rows;
  size bigint := 0;
  v_user memori.memories.user_id%type := p_user;
begin
  perform set_tenant(p_tenant);
  for r in
    select (u.m).*
    from (
      select m from memory_rows m
      where m.partition = p_partition and m.tenant = p_tenant and m.stored_user = v_user and m.superseded_by is null
        and m.index_version is null
      union all
      select m from memory_rows m
      where m.partition = p_partition and m.tenant = p_tenant and m.stored_user = v_user and m.superseded_by is null
        and m.index_version < p_version
    ) u
    limit p_limit
  loop
    return next r;
    size := size + memory_size(r);
    exit when size >= p_size;
  end loop;
end $function$
;
alter function context.unindexed_memories(smallint,text,text,integer,integer,integer) owner to throughline_functions;
grant execute on function context.unindexed_memories(smallint,text,text,integer,integer,integer) to throughline_app;

CREATE OR REPLACE FUNCTION context.unlock_memories(p_partition smallint, p_tenant text, p_user text, p_token uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(p_tenant);
  update memori.memory_versions x
  set lock_token = null, locked_until = null
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.lock_token = p_token;
end $function$
;
alter function context.unlock_memories(smallint,text,text,uuid) owner to throughline_functions;
grant execute on function context.unlock_memories(smallint,text,text,uuid) to throughline_app;

CREATE OR REPLACE FUNCTION context.unlock_session(p_partition smallint, p_session uuid, p_token uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET jit TO 'off'
AS $function$
begin
  perform set_tenant(null);
  update sessions x
  set lock_token = null, locked_until = null, appends_wait_until = null
  where x.partition = p_partition and x.id = p_session and x.lock_token = p_token;
end $function$
;
alter function context.unlock_session(smallint,uuid,uuid) owner to throughline_functions;
grant execute on function context.unlock_session(smallint,uuid,uuid) to throughline_app;

CREATE OR REPLACE FUNCTION context.write_envelope(p_partition smallint, p_session uuid, p_tenant text, p_sequence integer, e context.input_envelope)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$
;
alter function context.write_envelope(smallint,uuid,text,integer,context.input_envelope) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.write_envelope(p_partition smallint, p_session uuid, p_tenant text, p_sequence integer, p_view json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform write_envelope(
    p_partition, p_session, p_tenant, p_sequence,
    json_populate_record(null::context.input_envelope, p_view -> 'envelope')
  );
end $function$
;
alter function context.write_envelope(smallint,uuid,text,integer,json) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.write_labels(p_partition smallint, p_session uuid, v context.input_view)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  delete from session_labels x
  where x.partition = p_partition and x.session_id = p_session and not (x.label = any (v.labels));
  insert into session_labels (partition, session_id, label, tenant, user_id)
  select p_partition, p_session, l.label, v.tenant, v."userId"
  from unnest(v.labels) as l (label)
  on conflict do nothing;
end $function$
;
alter function context.write_labels(smallint,uuid,context.input_view) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.write_memory_change(p_partition smallint, p_tenant text, p_user text, p_version uuid, p_token uuid, p_at timestamp with time zone, p_key text, p_fingerprint text, p_response text, p_sessions uuid[], p_session uuid, p_from integer, p_to integer, p_purge uuid[], p_puts json, p_removals uuid[], p_unindexed uuid[], p_history json, s_memory uuid[], s_key text[], w_memory uuid[], w_term text[], w_data bytea[], b_memory uuid[], b_words integer[], b_long integer[], OUT outcome text, OUT events integer, OUT keys integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'context', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
AS $function$
declare
  v_user memori.memories.user_id%type := p_user;
  v_id uuid;
  v_last record;
  n integer := cardinality(b_memory);
begin
  perform lock_user(p_tenant, p_user);
  perform set_tenant(p_tenant);
  select x.version, x.lock_token, x.locked_until into v_last
  from memori.memory_versions x
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant
  for update;
  if v_last.version is distinct from p_version
    or (v_last.lock_token is distinct from p_token and v_last.locked_until > clock_timestamp())
  then
    outcome := 'conflict';
    return;
  end if;
  if not may_change_memories(p_partition, p_tenant, p_user, p_sessions, p_session, p_from, p_to) then
    outcome := 'stale';
    return;
  end if;
  if cardinality(p_purge) > 0 then
    -- Waits for children that are being started; no other can start afterwards.
    perform 1 from sessions x where x.partition = p_partition and x.id = any (p_purge) order by x.id for update;
    if exists (
      select 1
      from sessions x
      where x.partition = p_partition and x.parent_id = any (p_purge) and x.tenant = p_tenant and x.user_id = p_user
        and not (x.id = any (p_purge))
    ) then
      outcome := 'stale';
      return;
    end if;
  end if;
  outcome := 'written';
  insert into memori.memory_versions (partition, user_id, tenant, version)
  values (p_partition, p_user, p_tenant, gen_random_uuid())
  on conflict (partition, user_id, tenant) do update
  set version = excluded.version, lock_token = null, locked_until = null;
  if p_response is not null then
    insert into memori.memory_keys (partition, user_id, tenant, digest, key, fingerprint, response, at)
    values (p_partition, p_user, p_tenant, md5(p_key)::uuid, p_key, p_fingerprint, p_response, p_at);
  end if;

  perform remove_words(p_partition, p_tenant, p_user, 'memories', p_unindexed);
  foreach v_id in array p_removals loop
    delete from memori.memories m
    where m.partition = p_partition and m.user_id = v_user and m.tenant = p_tenant and m.memory_id = v_id;
    if found then
      delete from memori.memory_history x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.memory_id = v_id;
      delete from memori.memory_sources x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.memory_id = v_id;
    end if;
  end loop;

  for v_id in select (p ->> 'id')::uuid from json_array_elements(p_puts) p loop
    delete from memori.memory_sources x
    where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.memory_id = v_id;
    -- Locked, so that its count does not rise before it is written.
    perform 1
    from memori.memories m
    where m.partition = p_partition and m.user_id = v_user and m.tenant = p_tenant and m.memory_id = v_id
    for update;
  end loop;
  insert into memori.memory_sources (partition, user_id, tenant, digest, memory_id, key)
  select p_partition, p_user, p_tenant, md5(s.key)::uuid, s.memory, s.key from unnest(s_memory, s_key) as s (memory, key);
  insert into memori.memories as m (
    partition, user_id, memory_id, tenant, category, content, scope, source_type, confidence, lineage, use_count,
    created_at, last_used_at, expires_at, superseded_by, superseded_at, metadata, fingerprint, index_version
  )
  select p_partition, v_user, p.id, p_tenant, p.category, p.content, p.scope, p."sourceType", p.confidence, p.lineage,
    p."useCount" + coalesce(o.use_count - p."loadedUseCount", 0), p."createdAt",
    case when o.use_count > p."loadedUseCount" then o.last_used_at else p."lastUsedAt" end,
    p."expiresAt", p."supersededBy", p."supersededAt", p.metadata, p.fingerprint,
    case when p.reworded then p."indexVersion" else o.index_version end
  from json_to_recordset(p_puts) as p (
    id uuid, category text, content text, scope text, "sourceType" text, confidence numeric, lineage json,
    "useCount" integer, "loadedUseCount" integer, "createdAt" timestamptz, "lastUsedAt" timestamptz,
    "expiresAt" timestamptz, "supersededBy" uuid, "supersededAt" timestamptz, metadata json, fingerprint text,
    reworded boolean, "indexVersion" integer
  )
  left join lateral (
    select x.use_count, x.last_used_at, x.index_version
    from memori.memories x
    where x.partition = p_partition and x.user_id = v_user and x.tenant = p_tenant and x.memory_id = p.id
    offset 0
  ) o on true
  on conflict (partition, user_id, tenant, memory_id) do update
  set category = excluded.category, content = excluded.content, scope = excluded.scope,
      source_type = excluded.source_type, confidence = excluded.confidence, lineage = excluded.lineage,
      use_count = excluded.use_count, created_at = excluded.created_at, last_used_at = excluded.last_used_at,
      expires_at = excluded.expires_at, superseded_by = excluded.superseded_by, superseded_at = excluded.superseded_at,
      metadata = excluded.metadata, fingerprint = coalesce(excluded.fingerprint, m.fingerprint),
      index_version = excluded.index_version;

  insert into memori.memory_history
    (partition, user_id, memory_id, version, tenant, at, change, confidence, source, note, by_memory)
  select p_partition, p_user, h.id,
    coalesce((
      select max(x.version)
      from memori.memory_history x
      where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.memory_id = h.id
    ), 0) + row_number() over (partition by h.id order by h.n),
    p_tenant, h.at, h.change, h.confidence, h.source, h.note, h.by
  from json_to_recordset(p_history) as h (
    id uuid, n integer, at timestamptz, change text, confidence numeric, source json, note text, by uuid
  );

  if n > 0 then
    perform add_words(p_partition, p_tenant, p_user, 'memories',
      w_memory, array_fill(0, array[cardinality(w_term)]), w_term, array_fill(1, array[cardinality(w_term)]), w_data,
      b_memory, array_fill(0, array[n]), array_fill(1, array[n]), array_fill(1, array[n]), b_words, b_long);
  end if;
  if p_session is not null then
    insert into session_marks (partition, session_id, tenant, extracted)
    values (p_partition, p_session, p_tenant, p_to)
    on conflict (partition, session_id) do update set extracted = excluded.extracted;
  end if;
  events := 0;
  keys := 0;
  foreach v_id in array coalesce(p_purge, '{}') loop
    select write_memory_change.events + r.events, write_memory_change.keys + r.keys into events, keys
    from purge_session(p_partition, v_id, p_tenant, p_user, p_at) r;
  end loop;
end $function$
;
alter function context.write_memory_change(smallint,text,text,uuid,uuid,timestamp with time zone,text,text,text,uuid[],uuid,integer,integer,uuid[],json,uuid[],uuid[],json,uuid[],text[],uuid[],text[],bytea[],uuid[],integer[],integer[]) owner to throughline_functions;
grant execute on function context.write_memory_change(smallint,text,text,uuid,uuid,timestamp with time zone,text,text,text,uuid[],uuid,integer,integer,uuid[],json,uuid[],uuid[],json,uuid[],text[],uuid[],text[],bytea[],uuid[],integer[],integer[]) to throughline_app;

CREATE OR REPLACE FUNCTION context.write_view(p_partition smallint, p_session uuid, p_view json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform write_views(p_partition, p_session, json_populate_record(null::context.input_view, p_view), null, 0, 0, null,
    null, null, null, 0);
end $function$
;
alter function context.write_view(smallint,uuid,json) owner to throughline_functions;

CREATE OR REPLACE FUNCTION context.write_views(p_partition smallint, p_session uuid, v context.input_view, p_head integer, p_turns integer, p_bytes bigint, p_cleared integer, p_active timestamp with time zone, p_minute integer, p_envelope_at integer, p_versions integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$
;
alter function context.write_views(smallint,uuid,context.input_view,integer,integer,bigint,integer,timestamp with time zone,integer,integer,integer) owner to throughline_functions;
