-- Idempotency keys of changes to memories, with what to answer when one comes again. Distributed by the user id, as memories are. A key may
-- be longer than an entry of an index, so it is found by its digest.
create table memori.memory_keys (
  user_id     text        not null,
  tenant      text        not null,
  digest      uuid        not null,
  key         text        not null,
  fingerprint text        not null,
  -- ids, outcomes and counts as JSON, never what a memory says: it stays when the memory is forgotten
  answer      text        not null,
  at          timestamptz not null,
  primary key (user_id, tenant, digest)
);

-- for callers who do not know the user
create index memory_keys_fingerprint on memori.memory_keys using hash (fingerprint);
-- the oldest, which are forgotten
create index memory_keys_at on memori.memory_keys (at);

alter table memori.memory_keys enable row level security;
alter table memori.memory_keys force row level security;
create policy tenant on memori.memory_keys using (current_setting('throughline.tenant', true) in ('*', tenant));
grant select, insert, delete on memori.memory_keys to throughline_functions;
grant select on memori.memory_keys to throughline_reader;
grant create on schema context to throughline_functions;

drop function context.purge_memories(text, text);

-- What a change stored under its key. Takes the user's lock, as load_change does: no other change with the key comes in between.
create function context.load_memory_key(p_tenant text, p_user text, p_key text)
returns table (fingerprint text, answer text)
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
begin
  perform lock_user(p_tenant, p_user);
  perform enter(p_tenant);
  return query
    select x.fingerprint, x.answer
    from memori.memory_keys x
    where x.user_id = p_user and x.tenant = p_tenant and x.digest = md5(p_key)::uuid and x.key = p_key;
end $$;

-- Stores the key of a change, under the lock that load_memory_key took.
create function context.write_memory_key(
  p_tenant text, p_user text, p_key text, p_fingerprint text, p_answer text, p_at timestamptz
)
returns void
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform enter(p_tenant);
  insert into memori.memory_keys (user_id, tenant, digest, key, fingerprint, answer, at)
  values (p_user, p_tenant, md5(p_key)::uuid, p_key, p_fingerprint, p_answer, p_at);
end $$;

-- What anyone's change stored under the key, if it came with the fingerprint.
create function context.find_memory_key(p_tenant text, p_user text, p_key text, p_fingerprint text)
returns table (answer text)
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
begin
  perform enter(p_tenant);
  return query
    select x.answer
    from memori.memory_keys x
    where x.fingerprint = p_fingerprint and x.digest = md5(p_key)::uuid and x.key = p_key
      and owned(x.tenant, x.user_id, p_tenant, p_user)
    limit 1;
end $$;

-- Removes the oldest p_limit keys that were stored before p_before, and gives their number. What is stored anew in this very moment stays.
create function context.forget_memory_keys(p_tenant text, p_user text, p_before timestamptz, p_limit integer)
returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_keys integer;
begin
  perform enter(p_tenant);
  with chosen as (
    select x.user_id, x.tenant, x.digest
    from memori.memory_keys x
    where x.at < p_before and owned(x.tenant, x.user_id, p_tenant, p_user)
    order by x.at
    limit p_limit
  )
  delete from memori.memory_keys x using chosen c
  where x.user_id = c.user_id and x.tenant = c.tenant and x.digest = c.digest and x.at < p_before;
  get diagnostics v_keys = row_count;
  return v_keys;
end $$;

-- As before, with the keys. Gives the numbers of memories and of keys.
create function context.purge_memories(p_tenant text, p_user text) returns table (memories integer, keys integer)
language plpgsql security definer set search_path = context, pg_temp set jit = off set enable_seqscan = off as $$
declare
  v_user memori.memories.user_id%type := p_user;
  v_shelves bigint[];
begin
  perform lock_user(p_tenant, p_user);
  perform enter(p_tenant);
  delete from memori.memory_history x where x.user_id = p_user and x.tenant = p_tenant;
  delete from memori.memory_sources x where x.user_id = p_user and x.tenant = p_tenant;
  delete from memori.memory_keys x where x.user_id = p_user and x.tenant = p_tenant;
  get diagnostics keys = row_count;
  delete from memori.memories m where m.user_id = v_user and m.tenant = p_tenant;
  get diagnostics memories = row_count;
  with gone as (
    delete from recall_shelves x where x.user_id = p_user and x.tenant = p_tenant returning x.shelf_id
  )
  select array_agg(g.shelf_id) into v_shelves from gone g;
  delete from recall_terms x where x.shelf_id = any (v_shelves);
  delete from recall_speakers x where x.shelf_id = any (v_shelves);
  delete from recall_postings x where x.shelf_id = any (v_shelves);
  delete from recall_blocks x where x.shelf_id = any (v_shelves);
  delete from recall_messages x where x.shelf_id = any (v_shelves);
  update session_marks x
  set indexed = 0, turns = 0
  from sessions s
  where s.tenant = p_tenant and s.user_id = p_user and x.session_id = s.id;
  return next;
end $$;

do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as signature
    from pg_proc p
    where p.pronamespace = 'context'::regnamespace
      and p.proname in ('load_memory_key', 'write_memory_key', 'find_memory_key', 'forget_memory_keys', 'purge_memories')
  loop
    execute format('revoke all on function %s from public', f.signature);
    execute format('alter function %s owner to throughline_functions', f.signature);
    execute format('grant execute on function %s to throughline_app', f.signature);
  end loop;
end $$;
revoke create on schema context from throughline_functions;
