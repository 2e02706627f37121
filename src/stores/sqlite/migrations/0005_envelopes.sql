-- The envelope of each session, kept for those who read it, and the pause of the intake.

-- Sequence of the last event that changed the envelope.
alter table sessions add column envelope_at integer not null default 1;

update sessions
set envelope_at = (forked_from ->> 'sequence') + 1
where forked_from is not null;

-- A view of the log, as session_state is, that may lag behind or be missing: it is then folded.
create table session_envelopes (
  session_id text    not null primary key,
  persona_id text    not null,
  tenant     text    not null,
  subject    text    not null,
  issuer     text,
  scope      text,
  metadata   text    not null,
  analysis   text    not null,
  created_at text    not null,
  updated_at text    not null,
  -- The backfill that wrote it last.
  batch      text,
  -- The event it was folded to.
  sequence   integer not null
) strict, without rowid;

-- No event could change an envelope before.
insert into session_envelopes
  (session_id, persona_id, tenant, subject, metadata, analysis, created_at, updated_at, sequence)
select id, '', tenant, user_id, metadata, '{}', started_at, started_at, envelope_at
from sessions;

create index session_envelopes_batch on session_envelopes (batch) where batch is not null;
create index session_envelopes_updated on session_envelopes (updated_at);

-- For those who write with SQL. We give the moment ourselves, and replace the row, which is no update.
create trigger session_envelopes_updated_at after update on session_envelopes
when new.sequence = old.sequence and new.updated_at = old.updated_at
begin
  update session_envelopes
  set updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  where session_id = new.session_id;
end;

-- What holds for the whole store. 'paused_since': since when no new sessions are taken.
create table settings (
  name  text not null primary key,
  value text not null
) strict, without rowid;
