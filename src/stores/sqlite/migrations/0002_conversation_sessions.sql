-- One row for each session with what was said and who acted, for those who look with SQL. Read-only: a view that joins
-- takes no writes, and the log behind it refuses them.
create view conversation_sessions as
select
  s.id,
  s.user_id,
  s.active_agent,
  (
    select json_group_array(json(m.message))
    from (
      -- a merge patch leaves out what is null
      select json_patch('{}', json_object(
        'role', case e.type when 'user_message' then 'user' else 'assistant' end,
        'content', e.content,
        'agentId', e.agent_id,
        'timestamp', coalesce(e.occurred_at, e.created_at)
      )) as message
      from session_events e
      where e.session_id = s.id and e.sequence > s.cleared_at and e.content <> ''
        and e.type in ('user_message', 'model_message')
      order by e.sequence
    ) m
  ) as messages,
  (
    select json_group_array(json(t.switch))
    from (
      select json_object(
        'from', e.parts ->> 'from', 'to', e.parts ->> 'to', 'reason', e.content, 'timestamp', e.created_at
      ) as switch
      from session_events e
      where e.session_id = s.id and e.type = 'agent_transition'
      order by e.sequence
    ) t
  ) as agent_transitions,
  s.started_at as created_at,
  s.last_activity_at as updated_at,
  s.expires_at
from sessions s;
