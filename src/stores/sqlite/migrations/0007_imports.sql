-- Sessions that are coming in from another store. Their events, types and edges lie where those of all others do: nothing looks at these
-- without the row in `sessions`, which they get together with their last event.
create table session_imports (
  session_id text    not null primary key,
  tenant     text    not null,
  user_id    text    not null,
  -- How far it came.
  head       integer not null,
  -- All its views there, as JSON.
  view       text    not null
) strict, without rowid;

create index session_imports_user on session_imports (tenant, user_id);
