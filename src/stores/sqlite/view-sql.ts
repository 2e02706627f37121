/** Columns of the envelope. All null: there is none, or it belongs to an earlier event. */
export const ENVELOPE = `
  e.persona_id, e.tenant as envelope_tenant, e.subject, e.issuer, e.scope, e.metadata as envelope_metadata, e.analysis,
  e.created_at as envelope_created_at, e.updated_at as envelope_updated_at, e.batch`

/** Joins the envelope of a session to its row. */
export const JOIN_ENVELOPE = 'left join session_envelopes e on e.session_id = s.id and e.sequence = s.envelope_at'

/** All views of one session. No row: there is no such session. */
export const SELECT_VIEW = `
  select s.*, st.scratchpad, st.version, st.updated_at, ${ENVELOPE}
  from sessions s
  join session_state st on st.session_id = s.id
  ${JOIN_ENVELOPE}
  where s.id = ?`

/** The record of one session. No row: there is no such session. */
export const SELECT_RECORD = `
  select id, tenant, user_id, conversation_id, chatmode, workflow, skill, git_branch, task, status, active_agent, head, turns,
    started_at, last_activity_at, ended_at, expires_at, metadata, forked_from, parent_id, parent_sequence, usage,
    run_generation, run
  from sessions
  where id = ?`

/** The scratchpad of one session and its owner. No row: there is no such session. */
export const SELECT_STATE = `
  select st.scratchpad, st.version, st.updated_at, s.tenant, s.user_id
  from session_state st
  join sessions s on s.id = st.session_id
  where st.session_id = ?`

export const INSERT_SESSION = `
  insert into sessions (
    id, tenant, user_id, conversation_id, chatmode, workflow, skill, git_branch, task, state, status, active_agent,
    head, turns, cleared_at, hidden, started_at, last_activity_at, activity_minute, ended_at, expires_at, metadata, forked_from,
    last_work, commit_id, commit_position, awaits_commit, envelope_at, parent_id, parent_sequence,
    usage, bytes, run_generation, lease_until, due_at, requests_at, run, requests
  ) values (
    @id, @tenant, @user_id, @conversation_id, @chatmode, @workflow, @skill, @git_branch, @task, @state, @status,
    @active_agent, @head, @turns, @cleared_at, @hidden, @started_at, @last_activity_at, @activity_minute, @ended_at,
    @expires_at, @metadata, @forked_from, @last_work, @commit_id, @commit_position,
    @awaits_commit, @envelope_at, @parent_id, @parent_sequence, @usage,
    @bytes, @run_generation, @lease_until, @due_at, @requests_at, @run, @requests
  )`

/** All but `due_at`. */
export const UPDATE_VIEW = `
  update sessions
  set tenant = @tenant, user_id = @user_id, conversation_id = @conversation_id, chatmode = @chatmode,
      workflow = @workflow, skill = @skill, git_branch = @git_branch, task = @task, state = @state, status = @status,
      active_agent = @active_agent, head = @head, turns = @turns, cleared_at = @cleared_at, hidden = @hidden, started_at = @started_at,
      last_activity_at = @last_activity_at, activity_minute = @activity_minute, ended_at = @ended_at,
      expires_at = @expires_at, metadata = @metadata, forked_from = @forked_from, last_work = @last_work,
      commit_id = @commit_id, commit_position = @commit_position, awaits_commit = @awaits_commit,
      envelope_at = @envelope_at, parent_id = @parent_id, parent_sequence = @parent_sequence, usage = @usage,
      run_generation = @run_generation, lease_until = @lease_until, requests_at = @requests_at, run = @run,
      requests = @requests, bytes = bytes + @added_bytes
  where id = @id`

/** Separate, since setting the column rewrites its index entries even if the value stays. */
export const UPDATE_DUE = `
  update sessions
  set due_at = ?
  where id = ?`

export const UPSERT_STATE = `
  insert into session_state (session_id, scratchpad, version, updated_at)
  values (@id, @scratchpad, @version, @updated_at)
  on conflict (session_id) do update
  set scratchpad = excluded.scratchpad, version = excluded.version, updated_at = excluded.updated_at`
