-- Usage: the tokens and costs of model calls. The log has them per event; these sums are views of it. Costs are
-- billionths of a dollar, so that sums are exact.

-- Sums by session, day (UTC) and model, from which reports are summed.
create table context.session_usage (
  partition          smallint         not null,
  session_id         uuid             not null,
  day                text collate "C" not null,
  model              text collate "C" not null,
  tenant             text collate "C" not null,
  user_id            text collate "C" not null,
  messages           bigint           not null,
  input_tokens       bigint           not null,
  output_tokens      bigint           not null,
  cache_read_tokens  bigint           not null,
  cache_write_tokens bigint           not null,
  cost_nano          bigint           not null,
  primary key (partition, session_id, day, model)
) with (fillfactor = 80);

create index session_usage_day on context.session_usage (tenant, day, session_id, model);
create index session_usage_user on context.session_usage (tenant, user_id, day, session_id, model);

-- Adds the numbers of two lists, place by place. Null counts as zeros.
create function context.add_numbers(p_before bigint[], p_more bigint[]) returns bigint[]
language sql immutable as $$
  select array(
    select coalesce(n.before, 0) + n.more
    from unnest(p_before, p_more) with ordinality as n (before, more, place)
    order by n.place
  )
$$;

-- Adds to sessions.usage. The sums of an earlier turn count as zeros.
create function context.next_usage(p_usage bigint[], p_turns integer, p_total bigint[], p_turn bigint[])
returns bigint[]
language sql immutable as $$
  select p_turns::bigint || context.add_numbers(p_usage[2:7], p_total)
    || context.add_numbers(case when p_usage[1] = p_turns then p_usage[8:13] end, p_turn)
$$;

-- Adds the usage of appends to the sessions that they were written to: those with a head in p_heads. p_usage has the
-- sums of each session with usage (its number in s_id, in total, of its last turn, and by day and model), as numbers
-- that the caller computed.
create function context.add_usage(s_partition smallint[], s_id uuid[], p_heads json, p_usage json) returns void
language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
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
end $$;

-- Like append_event, for an event with usage.
create function context.append_event_with_usage(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_turns integer, p_bytes integer, p_at timestamptz,
  p_minute integer, p_run integer, e_id uuid, e_type text, e_role text, e_content text, e_parts json, e_agent text,
  e_occurred text, e_checksum bytea, p_usage json
)
returns integer
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
declare
  v_head integer := append_event(p_partition, p_session, p_tenant, p_user, p_turns, p_bytes, p_at, p_minute, p_run, e_id,
    e_type, e_role, e_content, e_parts, e_agent, e_occurred, e_checksum);
begin
  if v_head is not null then
    perform add_usage(array[p_partition], array[p_session], json_build_array(v_head), p_usage);
  end if;
  return v_head;
end $$;

-- Like append_events, for a batch in which some events have usage.
create function context.append_events_with_usage(
  p_partition smallint, s_partition smallint[], s_id uuid[], s_tenant text[], s_user text[], s_count integer[],
  s_turns integer[], s_bytes integer[], s_at timestamptz[], s_minute integer[], s_expected integer[], s_type text[],
  s_run integer[], s_due timestamptz[], k_session integer[], k_key text[], k_fingerprint text[], k_place integer[], k_count integer[],
  e_session integer[], e_place integer[], e_at timestamptz[], e_id uuid[], e_type text[], e_role text[], e_content text[],
  e_parts json[], e_agent text[], e_occurred text[], e_checksum bytea[], p_usage json,
  out heads json, out refused json, out known json
)
language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
begin
  select w.heads, w.refused, w.known
  into append_events_with_usage.heads, append_events_with_usage.refused, append_events_with_usage.known
  from append_events(p_partition, s_partition, s_id, s_tenant, s_user, s_count, s_turns, s_bytes, s_at, s_minute,
    s_expected, s_type, s_run, s_due, k_session, k_key, k_fingerprint, k_place, k_count, e_session, e_place, e_at, e_id,
    e_type, e_role, e_content, e_parts, e_agent, e_occurred, e_checksum) w;
  perform add_usage(s_partition, s_id, append_events_with_usage.heads, p_usage);
end $$;

-- Changes the rows of a session as an import or a repair says: p_cleared removes the earlier ones, p_rows are added.
create function context.change_usage(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_cleared boolean, p_rows json
)
returns void
language plpgsql as $$
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
end $$;

-- The rows of a session after p_day and p_model, in order.
create function context.read_usage_rows(
  p_partition smallint, p_session uuid, p_tenant text, p_user text, p_day text, p_model text, p_limit integer
)
returns table (day text, model text, sums bigint[])
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
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
end $$;

-- Sums the next p_rows rows of a report in the order of an index, after the row at p_position: of one user, in the
-- user's partition, of a tenant, or of all. p_by: tenant, user_id, day or model; only groups after p_after. last is the
-- last of these rows; null: there are no more. Sessions that are being imported do not count. usageScan in
-- usage-pages.ts has the same orders.
create function context.sum_usage(
  p_partition smallint, p_by text, p_tenant text, p_user text, p_since text, p_until text, p_after text,
  p_position text[], p_rows integer,
  out groups json, out last text[]
)
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
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
end $$;
