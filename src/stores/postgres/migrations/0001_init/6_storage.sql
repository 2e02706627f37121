-- What tenants and users store.

-- Returns the head of a session and the bytes of its log. No row: there is no such session.
create function context.log_size(p_partition smallint, p_session uuid, p_tenant text, p_user text)
returns table (head integer, bytes bigint)
language plpgsql stable security definer set search_path = context, pg_temp set jit = off as $$
begin
  perform set_tenant(p_tenant);
  return query
    select x.head, x.bytes
    from sessions x
    where x.partition = p_partition and x.id = p_session and can_access(x.tenant, x.user_id, p_tenant, p_user);
end $$;

-- Sums the next p_rows rows of a report in the order of an index, after the row at p_position: of one user, in the
-- user's partition, of a tenant, or of all. p_kind: sessions or memories; p_by: tenant or user_id. Each group has its
-- key, the number of its rows, of its events, and the bytes. last is the last of these rows; null: there are no more.
create function context.sum_storage(
  p_partition smallint, p_kind text, p_by text, p_tenant text, p_user text, p_position text[], p_rows integer,
  out groups json, out last text[]
)
language plpgsql stable security definer set search_path = context, pg_temp set jit = off
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
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
end $$;
