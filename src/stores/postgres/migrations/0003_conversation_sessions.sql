-- One row for each session with what was said and who acted, for those who look with SQL. Read-only: it joins, so it
-- takes no writes. It shows what its reader may see: row level security goes by the setting throughline.tenant.
create function context.iso_time(p_at timestamptz) returns text
language sql stable as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create view context.conversation_sessions with (security_invoker = true) as
select
  s.id,
  s.user_id,
  s.active_agent,
  coalesce(m.messages, '[]'::json) as messages,
  coalesce(t.switches, '[]'::json) as agent_transitions,
  s.started_at as created_at,
  s.last_activity_at as updated_at,
  s.expires_at
from context.sessions s
left join lateral (
  select json_agg(
    json_strip_nulls(json_build_object(
      'role', case e.type when 'user_message' then 'user' else 'assistant' end,
      'content', e.content,
      'agentId', e.agent_id,
      'timestamp', coalesce(e.occurred_at, context.iso_time(e.created_at))
    ))
    order by e.sequence
  ) as messages
  from context.session_events e
  where e.session_id = s.id and e.sequence > s.cleared_at and e.content <> ''
    and e.type in ('user_message', 'model_message')
) m on true
left join lateral (
  select json_agg(
    json_build_object(
      'from', e.parts ->> 'from', 'to', e.parts ->> 'to', 'reason', e.content, 'timestamp', context.iso_time(e.created_at)
    )
    order by e.sequence
  ) as switches
  from context.session_events e
  where e.session_id = s.id and e.type = 'agent_transition'
) t on true;

-- throughline_reader: for people and tools that look with SQL. It reads, of the tenant it names, and writes nothing.
do $$
begin
  begin
    create role throughline_reader nologin;
  exception when duplicate_object or unique_violation then
    null;
  end;
  grant throughline_reader to current_user;
end $$;

grant usage on schema context to throughline_reader;
grant select on context.sessions, context.session_state, context.session_events, context.conversation_sessions
  to throughline_reader;
