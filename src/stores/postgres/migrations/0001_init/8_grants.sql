-- Roles, row level security and grants, after all tables and functions exist.

-- throughline_app: login roles are members of it. It calls functions and has no access to tables.
-- throughline_functions: owns the functions. It cannot UPDATE or DELETE events, and cannot DELETE sessions.
-- throughline_purge: owns the functions that delete.
-- throughline_reader: for people and tools that read with SQL. It sees the tenant it names and writes nothing.
-- Roles belong to the whole cluster, so another database may have created them.
do $$
declare
  name text;
begin
  foreach name in array array['throughline_app', 'throughline_functions', 'throughline_purge', 'throughline_reader'] loop
    begin
      execute format('create role %I nologin', name);
    exception when duplicate_object or unique_violation then
      null;
    end;
    execute format('grant %I to current_user', name);
  end loop;
end $$;

-- Row level security. '*' is the operator, who sees every tenant; unset sees nothing.
do $$
declare
  adopted boolean := current_setting('throughline.adopted')::boolean;
  ours text := 'current_user in (''throughline_functions'', ''throughline_purge'')';
  named text := 'current_setting(''throughline.tenant'', true) in (''*'', tenant)';
  name text;
begin
  foreach name in array array[
    'context.sessions', 'context.session_slots', 'context.session_labels', 'context.session_state', 'context.session_events', 'context.session_types',
    'context.session_keys', 'context.session_edges', 'context.session_work_marks', 'context.session_usage', 'context.conversation_commits',
    'context.recall_corpora',
    'context.recall_terms', 'context.recall_speakers', 'context.recall_postings', 'context.recall_blocks',
    'context.recall_messages', 'context.session_marks', 'context.session_envelopes', 'context.session_imports',
    'memori.memory_history', 'memori.memory_sources', 'memori.memory_keys', 'memori.memory_versions', 'memori.memories'
  ] loop
    -- An adopted table keeps the policies it has.
    continue when adopted and name = 'memori.memories';
    execute format('alter table %s enable row level security', name);
    execute format('alter table %s force row level security', name);
    execute format('create policy tenant on %s using (%s)', name, named);
  end loop;
  -- Reads the setting once per statement. Twice for each of 15,000 rows took a third of the time.
  alter policy tenant on context.recall_postings
    using ((select current_setting('throughline.tenant', true)) in ('*', tenant));
  alter policy tenant on context.session_usage
    using ((select current_setting('throughline.tenant', true)) in ('*', tenant));
  if not adopted then
    return;
  end if;

  -- Our functions see only the tenant they name, whatever other policies allow; other users of the table see what they
  -- saw.
  execute format('create policy throughline_tenant on memori.memories using (%s and %s)', ours, named);
  execute format('create policy throughline_restriction on memori.memories as restrictive using (not %s or %s)', ours, named);
  if not (select r.relrowsecurity from pg_class r where r.oid = 'memori.memories'::regclass) then
    execute format('create policy throughline_others on memori.memories using (not %s)', ours);
    alter table memori.memories enable row level security;
  end if;
  -- A serial key takes its values from a sequence of the table.
  for name in
    select d.objid::regclass::text
    from pg_depend d
    join pg_class s on s.oid = d.objid and s.relkind = 'S'
    where d.refobjid = 'memori.memories'::regclass and d.classid = 'pg_class'::regclass
  loop
    execute format('grant usage on sequence %s to throughline_functions', name);
  end loop;
end $$;

grant usage on schema context to throughline_app, throughline_functions, throughline_purge, throughline_reader;
grant usage on schema memori to throughline_functions, throughline_reader;

grant select, insert on context.sessions, context.session_slots, context.session_labels, context.session_state, context.session_events,
  context.session_types, context.session_keys, context.session_edges, context.conversation_commits, context.settings
  to throughline_functions;
grant update on context.sessions, context.session_state to throughline_functions;
grant delete on context.session_slots, context.session_labels, context.session_edges, context.settings to throughline_functions;
-- An import of a purged session takes its commit over again.
grant update (purged_at, user_id) on context.conversation_commits to throughline_functions, throughline_purge;
grant select, insert, update, delete on context.recall_corpora, context.recall_terms, context.recall_speakers,
  context.recall_postings, context.recall_blocks, context.recall_messages, context.session_marks, context.session_work_marks,
  context.session_envelopes, context.session_imports, context.session_directory, context.session_usage, memori.memories,
  memori.memory_history, memori.memory_sources,
  memori.memory_versions to throughline_functions;
grant select, insert, delete on memori.memory_keys to throughline_functions;
grant select on context.session_views, context.envelope_views, context.memory_rows to throughline_functions;

grant select, delete on context.sessions, context.session_slots, context.session_labels, context.session_state, context.session_events,
  context.session_types, context.session_keys, context.session_edges, context.session_marks, context.session_work_marks,
  context.session_envelopes, context.session_imports, context.session_directory, context.session_usage to throughline_purge;
grant select on context.conversation_commits to throughline_purge;

grant select on context.sessions, context.session_state, context.session_events, context.conversation_sessions,
  context.session_edges, context.session_usage, context.conversation_commits, context.session_envelopes, context.session_imports,
  memori.memory_history, memori.memory_sources, memori.memory_keys to throughline_reader;
do $$
begin
  -- The owner of an adopted table decides who reads it.
  if not current_setting('throughline.adopted')::boolean then
    grant select on memori.memories to throughline_reader;
  end if;
end $$;

-- New owners need the right to create in the schema while they receive the functions. Those that everyone may call stay
-- with the role that migrates.
grant create on schema context to throughline_functions, throughline_purge;
do $$
declare
  f record;
begin
  for f in
    select p.oid::regprocedure as signature, p.proname as name
    from pg_proc p
    where p.pronamespace = 'context'::regnamespace and p.proname not in
      ('schema_version', 'iso_time', 'is_hidden', 'partition_of', 'partition_groups', 'set_memory_partition')
  loop
    execute format('revoke all on function %s from public', f.signature);
    execute format('alter function %s owner to %I', f.signature,
      case when f.name in ('purge_session', 'discard_import') then 'throughline_purge' else 'throughline_functions' end);
    -- Functions that only other functions call stay with their owners.
    if f.name in ('set_tenant', 'can_access', 'lock_user', 'remove_words') then
      execute format('grant execute on function %s to throughline_purge', f.signature);
    elsif f.name = 'purge_session' then
      execute format('grant execute on function %s to throughline_app, throughline_functions', f.signature);
    elsif f.name not in (
      'check_intake', 'add_numbers', 'next_usage', 'add_usage', 'change_usage', 'import_commit', 'insert_imported_events', 'insert_edges', 'insert_events', 'insert_session',
      'chain_of', 'mark_type', 'minute_of', 'may_change_memories', 'add_words', 'replace_views', 'require_rows', 'corpus_id',
      'memory_size', 'read_spans', 'set_envelope_updated_at', 'event_bytes', 'short_content', 'short_parts', 'write_envelope', 'write_labels', 'write_view', 'write_views',
      'takes_work', 'generation_of', 'live_run'
    ) then
      execute format('grant execute on function %s to throughline_app', f.signature);
    end if;
  end loop;
end $$;
revoke create on schema context from throughline_functions, throughline_purge;
