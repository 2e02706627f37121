-- The word index over messages and memories. It is derived from the log and from memories and can be rebuilt.
--
-- A corpus holds the 'messages' or the 'memories' of one user. All other tables refer to it by corpus_id, unique within
-- its partition, which makes their rows and keys half as long.
-- Collation "C" orders by code point, as every store does.
create table context.recall_corpora (
  partition     smallint not null,
  user_id       text     not null,
  tenant        text     not null,
  corpus        text     not null,
  corpus_id     integer  not null,
  messages      integer  not null,
  terms         bigint   not null,
  long_messages integer  not null,
  primary key (partition, user_id, tenant, corpus)
) with (fillfactor = 50);

create unique index recall_corpora_id on context.recall_corpora (partition, corpus_id);

-- Number of messages with a term, and of a speaker. A row that reaches 0 is deleted.
create table context.recall_terms (
  partition smallint         not null,
  corpus_id integer          not null,
  messages  integer          not null,
  term      text collate "C" not null,
  tenant    text             not null,
  primary key (partition, corpus_id, term)
) with (fillfactor = 70);

create table context.recall_speakers (
  partition smallint         not null,
  corpus_id integer          not null,
  messages  integer          not null,
  speaker   text collate "C" not null,
  tenant    text             not null,
  primary key (partition, corpus_id, speaker)
) with (fillfactor = 70);

-- The messages with a term in one block of turns; data as in domain/recall/postings.ts. For a memory, session_id is the
-- memory's id, with one message in block 0.
create table context.recall_postings (
  partition  smallint         not null,
  corpus_id  integer          not null,
  session_id uuid             not null,
  block      integer          not null,
  messages   smallint         not null,
  term       text collate "C" not null,
  tenant     text             not null,
  data       bytea            not null,
  primary key (partition, corpus_id, term, session_id, block)
) with (fillfactor = 90);

-- What each write added to a block, with the terms that were new to it: they lead back to the postings of a session.
-- turn is the first one of the write, so a row never changes.
create table context.recall_blocks (
  partition     smallint not null,
  corpus_id     integer  not null,
  session_id    uuid     not null,
  block         integer  not null,
  turn          integer  not null,
  messages      integer  not null,
  words         integer  not null,
  long_messages integer  not null,
  tenant        text     not null,
  terms         text[]   not null,
  primary key (partition, corpus_id, session_id, block, turn)
);

-- Facts about each message. time: milliseconds since 1970.
create table context.recall_messages (
  partition  smallint not null,
  corpus_id  integer  not null,
  time       bigint   not null,
  session_id uuid     not null,
  turn       integer  not null,
  sequence   integer  not null,
  length     integer  not null,
  asked      integer  not null,
  specifics  smallint not null,
  times      smallint not null,
  counts     boolean  not null,
  is_commit  boolean  not null,
  tenant     text     not null,
  speaker    text     not null,
  primary key (partition, corpus_id, session_id, turn)
);

create index recall_messages_time on context.recall_messages (partition, corpus_id, time, session_id, turn);

-- How far the index and the extraction of memories have read a log. No row: nothing was read. Not in sessions, so that
-- no reader holds a lock that an append waits for.
create table context.session_marks (
  partition  smallint not null,
  session_id uuid     not null,
  tenant     text     not null,
  indexed    integer  not null default 0,
  turns      integer  not null default 0,
  version    integer  not null default 0,
  extracted  integer  not null default 0,
  primary key (partition, session_id)
) with (fillfactor = 70);

create type context.mark_row as (
  session_id uuid, tenant text, user_id text, head integer, indexed integer, turns integer, version integer,
  extracted integer, copied integer
);

-- Blocks other writers of the user's index and memories, and purges of the user's sessions, until the transaction ends.
-- Taken before any row lock: writers cannot deadlock, and an existing session stays without a lock on its row, which
-- appends would wait for.
create function context.lock_user(p_tenant text, p_user text) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(json_build_array(p_tenant, p_user)::text, 4749));
end $$;

-- Returns the id of a corpus. Null: it is empty.
create function context.corpus_id(p_partition smallint, p_tenant text, p_user text, p_corpus text) returns integer
language sql stable as $$
  select x.corpus_id
  from context.recall_corpora x
  where x.partition = p_partition and x.user_id = p_user and x.tenant = p_tenant and x.corpus = p_corpus
$$;

-- Adds words to a corpus, under the user's lock. One w_* entry per term of a block of a session, one b_* entry per
-- block. A posting is new to its block if it holds no more messages than were given. Without the setting the planner,
-- which assumes short arrays, compares each of 6,000 terms with each other.
create function context.add_words(
  p_partition smallint, p_tenant text, p_user text, p_corpus text,
  w_session uuid[], w_block integer[], w_term text[], w_messages integer[], w_data bytea[],
  b_session uuid[], b_block integer[], b_turn integer[], b_messages integer[], b_words integer[], b_long integer[]
)
returns integer
language plpgsql set enable_nestloop = off as $$
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
end $$;

-- Removes sessions or memories from a corpus, under the user's lock; a purge calls it too. Deletes postings one by one
-- by their full key: while a table has no statistics, a join reads the whole corpus.
create function context.remove_words(
  p_partition smallint, p_tenant text, p_user text, p_corpus text, p_sessions uuid[]
)
returns void
language plpgsql security definer set search_path = context, pg_temp set enable_seqscan = off set jit = off as $$
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
end $$;

-- Adds messages (m_*) of a session and their words (as in add_words) to the index and moves the mark from p_from to
-- p_to. Null: there is no such session in the partition. False: the mark is not at p_from.
create function context.index_messages(
  p_partition smallint, p_session uuid, p_from integer, p_to integer, p_version integer,
  m_turn integer[], m_sequence integer[], m_commit boolean[], m_speaker text[], m_time bigint[], m_length integer[],
  m_asked integer[], m_specifics integer[], m_times integer[], m_counts boolean[],
  w_block integer[], w_term text[], w_messages integer[], w_data bytea[],
  b_block integer[], b_turn integer[], b_messages integer[], b_words integer[], b_long integer[]
)
returns boolean
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
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
end $$;

-- Removes a session from the index, so that all of it is indexed again. Null: the partition has no such session.
create function context.unindex_session(p_partition smallint, p_session uuid) returns boolean
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
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
end $$;

create function context.read_mark(p_partition smallint, p_session uuid) returns setof context.mark_row
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform set_tenant(null);
  return query
    select s.id, s.tenant, s.user_id, s.head, coalesce(m.indexed, 0), coalesce(m.turns, 0), coalesce(m.version, 0),
      coalesce(m.extracted, 0), coalesce((s.forked_from ->> 'sequence')::integer, 0)
    from sessions s
    left join session_marks m on m.partition = s.partition and m.session_id = s.id
    where s.partition = p_partition and s.id = p_session;
end $$;

-- Returns the marks of the user's sessions that are not fully indexed, newest activity first, among the p_newest
-- newest.
create function context.read_marks(
  p_partition smallint, p_tenant text, p_user text, p_version integer, p_newest integer
)
returns setof context.mark_row
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
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
end $$;

-- Returns sessions that are not fully indexed, or that ended and are not fully extracted, in order of id: of all users,
-- of a tenant, or of a user.
create function context.sessions_to_index(
  p_partition smallint, p_tenant text, p_user text, p_version integer, p_after uuid, p_limit integer
)
returns setof uuid
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_sort = off set jit = off as $$
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
end $$;

-- Returns the counts of a corpus. No row: it is empty.
create function context.count_terms(p_partition smallint, p_tenant text, p_user text, p_corpus text, p_terms text[])
returns table (messages integer, terms bigint, long_messages integer, speakers text[], known text[], counts integer[])
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
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
end $$;

-- Returns the blocks of each term packed into one value, last block first: session (16 bytes), block (4), length of the
-- data (4), data. One row for each of 15,000 blocks took four times as long.
create function context.read_postings(
  p_partition smallint, p_tenant text, p_user text, p_corpus text, p_terms text[], p_limit integer
)
returns table (term text, packed bytea)
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
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
end $$;

-- Returns the facts of the messages at the given places, of the last p_last messages of sessions, and of the last
-- p_limit messages in a time range, each once. OFFSET 0 keeps lookups by full key; a join would read the whole corpus.
create function context.read_message_facts(
  p_partition smallint, p_tenant text, p_user text, p_place_session uuid[], p_place_turn integer[], p_sessions uuid[],
  p_last integer, p_since bigint, p_until bigint, p_limit integer
)
returns setof context.recall_messages
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
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
end $$;

-- The hidden ranges of those sessions of a user that have some.
create function context.read_hidden(p_partition smallint, p_tenant text, p_user text, p_sessions uuid[])
returns table (session_id uuid, hidden integer[])
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
  perform set_tenant(p_tenant);
  return query
    select x.id, x.hidden
    from unnest(p_sessions) as p (id)
    join sessions x on x.partition = p_partition and x.id = p.id
    where x.tenant = p_tenant and x.user_id = p_user and x.hidden is not null;
end $$;
