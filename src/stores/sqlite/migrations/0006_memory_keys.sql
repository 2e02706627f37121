-- Idempotency keys of changes to memories, with what to answer when one comes again.
create table memory_keys (
  tenant      text not null,
  user_id     text not null,
  key         text not null,
  fingerprint text not null,
  -- Ids, outcomes and counts as JSON, never what a memory says: it stays when the memory is forgotten.
  answer      text not null,
  at          text not null,
  primary key (tenant, user_id, key)
) strict, without rowid;

-- For callers who do not know the user.
create index memory_keys_fingerprint on memory_keys (fingerprint);
-- The oldest, which are forgotten.
create index memory_keys_at on memory_keys (at);
