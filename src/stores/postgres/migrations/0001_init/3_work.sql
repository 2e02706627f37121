-- The work of sessions: relations that they found, commits of conversations, and what a sweep has to do.

-- A view of the log, like session_state: each row comes from the event with its sequence. Collation "C" orders by code
-- point, as every store does. An index entry holds at most 2,700 bytes and a node may be longer: the indexes hold the
-- first 160 characters, and the digest separates nodes with the same start. These are columns because row level
-- security allows no expression in an index condition.
create table context.session_edges (
  partition  smallint         not null,
  session_id uuid             not null,
  tenant     text             not null,
  from_node  text collate "C" not null,
  label      text collate "C" not null,
  to_node    text collate "C" not null,
  sequence   integer          not null,
  -- The tools it was derived with; empty: a work commit states it.
  tools      text             not null default '',
  evidence   json             not null,
  from_start text collate "C" not null,
  to_start   text collate "C" not null,
  digest     uuid             not null,
  primary key (partition, session_id, from_start, label, to_start, sequence, digest, tools)
);

create index session_edges_reverse on context.session_edges (partition, session_id, to_start, label, from_start, sequence);

-- How far relations of tool calls have been derived from a log. No row: nothing was read.
create table context.session_work_marks (
  partition  smallint not null,
  session_id uuid     not null,
  tenant     text     not null,
  tools      text     not null,
  sequence   integer  not null,
  -- What later events need of those before, as JSON.
  state      text     not null,
  primary key (partition, session_id, tools)
);

-- One row per commit. It outlives its session and holds no content. A purge marks it and removes the user; nothing
-- deletes it. The commits of a user in a conversation form a chain: chain identifies it without naming the user.
create table context.conversation_commits (
  partition       smallint    not null,
  chain           uuid        not null,
  position        integer     not null,
  tenant          text        not null,
  conversation_id text        not null,
  -- Collation "C" orders pages by code point, as every store does.
  commit_id       text collate "C" not null,
  session_id      uuid        not null,
  user_id         text        not null,
  made_at         timestamptz not null,
  purged_at       timestamptz,
  primary key (partition, chain, position)
);

-- For callers who do not name the user.
create index conversation_commits_conversation
  on context.conversation_commits (tenant, conversation_id, position, commit_id);

create index conversation_commits_session on context.conversation_commits (session_id);

create function context.chain_of(p_tenant text, p_user text, p_conversation text) returns uuid
language sql stable as $$
  select md5(json_build_array(p_tenant, p_user, p_conversation)::text)::uuid
$$;

-- Inserts the edges of events after p_head; g_place is the place of the event, from 1. The first of equal edges stays.
-- p_tools names the tools of derived edges.
create function context.insert_edges(
  p_partition smallint, p_session uuid, p_tenant text, p_head integer, g_from text[], g_label text[], g_to text[], g_place integer[],
  g_evidence text[], p_tools text default ''
)
returns void
language plpgsql as $$
begin
  insert into session_edges
    (partition, session_id, tenant, from_node, label, to_node, sequence, evidence, tools, from_start, to_start, digest)
  select p_partition, p_session, p_tenant, g.from_node, g.label, g.to_node, p_head + g.place, g.evidence::json, p_tools,
    left(g.from_node, 160), left(g.to_node, 160), md5(json_build_array(g.from_node, g.to_node)::text)::uuid
  from unnest(g_from, g_label, g_to, g_place, g_evidence) with ordinality
    as g (from_node, label, to_node, place, evidence, n)
  order by g.n
  on conflict do nothing;
end $$;

-- Reads one page of relations, derived ones only with p_tools. p_nodes null: all. p_direction: out, in or both; an edge
-- between two of the nodes comes once. Only the given conditions become part of the statement, so each direction is
-- served by its own index. The settings are needed because the planner assumes that row level security leaves 1 % of
-- the rows; it would read and sort the whole session for each page. The page ends with the edge that takes it to p_size
-- characters.
create function context.read_edges(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_nodes text[], p_direction text, p_labels text[],
  p_from text, p_label text, p_to text, p_sequence integer, p_limit integer, p_size integer, p_tools text
)
returns table (from_node text, label text, to_node text, sequence integer, evidence text)
language plpgsql security definer set search_path = context, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
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
end $$;

-- Returns how far relations have been derived with these tools.
create function context.read_work_mark(p_partition smallint, p_session uuid, p_tenant text, p_user text, p_tools text)
returns table (head integer, sequence integer, state text)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
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
end $$;

-- Stores derived relations and moves the mark from p_from to p_to. False: the mark is elsewhere, or the log ends
-- before. The lock keeps a purge out, and other writers of the mark.
create function context.derive_work(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_tools text, p_from integer, p_to integer,
  p_state text, g_from text[], g_label text[], g_to text[], g_sequence integer[], g_evidence text[]
)
returns boolean
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
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
end $$;

-- Reads the commits of a conversation after (p_after, p_after_commit), of a user or, with p_user null, of all users.
create function context.read_commits(
  p_partition smallint, p_tenant text, p_conversation text, p_user text, p_after integer, p_after_commit text, p_limit integer
)
returns setof context.conversation_commits
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
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
end $$;

-- Finds work for a sweep: live sessions that were last active before p_idle_since, then other live sessions that
-- expired by p_at, then sessions that ended before p_ended_before and await their commit. The second query runs only if
-- fewer idle sessions than the limit were found, so it skips fewer rows than the limit. waiting sorts like the rows.
create function context.due_sessions(
  p_partition smallint, p_tenant text, p_user text, p_idle_since timestamptz, p_at timestamptz,
  p_ended_before timestamptz, p_limit integer
)
returns table (id uuid, waiting text)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
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
end $$;

-- Extends the lease of a live run, never shortens it. False: the run is over, or its lease has expired.
create function context.renew_lease(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_generation integer, p_at timestamptz,
  p_until timestamptz
)
returns boolean
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
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
end $$;

-- Finds sessions that need work: of up to p_tenants tenants, those after p_after and then from the first again, up to
-- p_limit each, the longest waiting first. It jumps from tenant to tenant and from chatmode to chatmode, and reads at
-- most p_limit sessions of each chatmode and agent, however many wait. Sessions that never expire and those that have
-- not expired are looked up separately, because an index takes no OR. So are those of each agent: with a list of them
-- Postgres 15 and 16 would read all and sort.
create function context.claimable_sessions(
  p_partition smallint, p_tenant text, p_user text, p_at timestamptz, p_chatmode text, p_agents text[], p_after text,
  p_tenants integer, p_limit integer
)
returns table (id uuid, tenant text, due_at timestamptz)
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
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
end $$;

-- Returns sessions with requests, open ones (p_open) or any, newest first: of one user, in the user's partition, or of
-- the tenant.
create function context.list_asking(
  p_partition smallint, p_tenant text, p_user text, p_open boolean, p_cursor_at timestamptz, p_cursor_id uuid,
  p_limit integer
)
returns table (id uuid, requests_at timestamptz)
language plpgsql security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  perform set_tenant(p_tenant);
  return query execute
    'select x.id, x.requests_at from sessions x where x.tenant = $1'
    || case when p_open then ' and x.requests is not null' else ' and x.requests_at is not null' end
    || case when p_user is not null then ' and x.user_id = $2 and x.partition = $6' else '' end
    || case when p_cursor_id is not null then ' and (x.requests_at, x.id) < ($3, $4)' else '' end
    || ' order by x.requests_at desc, x.id desc limit $5'
    using p_tenant, p_user, p_cursor_at, p_cursor_id, p_limit, p_partition;
end $$;
