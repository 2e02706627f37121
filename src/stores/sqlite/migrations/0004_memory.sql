-- What is remembered of users, and the words of what they said and of what is remembered, by term.

-- How far the readers of a log have come. A session without a row was not read yet.
create table session_marks (
  session_id text    not null primary key,
  indexed    integer not null default 0,
  turns      integer not null default 0,
  version    integer not null default 0,
  extracted  integer not null default 0
) strict, without rowid;

-- A shelf of a user: 'said' or 'memory'. Its number stands for all three columns in every row of the index.
create table recall_shelves (
  id            integer not null primary key,
  tenant        text    not null,
  user_id       text    not null,
  shelf         text    not null,
  messages      integer not null default 0,
  terms         integer not null default 0,
  long_messages integer not null default 0,
  unique (tenant, user_id, shelf)
) strict;

-- Sessions (of the shelf 'memory': memories) are the 16 bytes of their UUID: they sort as the text does, and a third of the
-- index would be ids otherwise.
create table recall_postings (
  shelf      integer not null,
  term       text    not null,
  session_id blob    not null,
  block      integer not null,
  -- How many messages the data holds.
  messages   integer not null,
  data       blob    not null,
  primary key (shelf, term, session_id, block)
) strict, without rowid;

-- How many messages of the shelf hold the term.
create table recall_terms (
  shelf    integer not null,
  term     text    not null,
  messages integer not null,
  primary key (shelf, term)
) strict, without rowid;

create table recall_speakers (
  shelf    integer not null,
  speaker  text    not null,
  messages integer not null,
  primary key (shelf, speaker)
) strict, without rowid;

-- Which terms a block of a session has, each followed by a space: what is removed is found by them. An index by session on the
-- postings would take five times the room. With a rowid, since rows are longer than the 1000 bytes that a row without one may
-- have before it takes a page of its own.
create table recall_blocks (
  shelf         integer not null,
  session_id    blob    not null,
  block         integer not null,
  messages      integer not null,
  length        integer not null,
  long_messages integer not null,
  terms         text    not null,
  unique (shelf, session_id, block)
) strict;

create table recall_messages (
  shelf      integer not null,
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
  primary key (shelf, session_id, turn)
) strict, without rowid;

create index recall_messages_time on recall_messages (shelf, time);

create table memories (
  -- For the full text: without a column of its own the number of a row may change when the file is vacuumed.
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
  -- Version of its words in the index; 0: it has none.
  index_version integer not null default 0,
  unique (tenant, user_id, id)
) strict;

create index memories_id on memories (id);
create index memories_unread on memories (tenant, user_id, index_version) where superseded_by is null;
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

-- Which memories come from a source, by the key of each entry of their lineage.
create table memory_sources (
  tenant    text not null,
  user_id   text not null,
  key       text not null,
  memory_id text not null,
  primary key (tenant, user_id, key, memory_id)
) strict, without rowid;

-- For those who look with SQL: select m.* from memories_fts f join memories m on m.number = f.rowid
-- where memories_fts match 'word' order by rank. Recall ranks by its own index.
create virtual table memories_fts using fts5 (
  content, content = 'memories', content_rowid = 'number', tokenize = 'porter unicode61 remove_diacritics 2'
);
-- What is deleted goes from the full text at once, not with some later merge.
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
