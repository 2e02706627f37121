import { createHash } from 'node:crypto'

/** A script that runs atomically on the server. KEYS are those of `keysOf`: value, version, lease, tombstone. */
export interface Script {
  lua: string
  sha: string
}

/*
 * Stored beside the value:
 *   version    '<version> <run>'          set and expiring with the value
 *   lease      '<token> <floor> <run>'    the holder of the token may fill with a version from the floor on
 *   tombstone  '1'
 * `run` is the run id of the server process. Values that a restart or failover restored from disk or a replica may be
 * stale; they carry another run id and are ignored.
 */
const SHARED = `
local value, version, lease, tombstone = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

-- without permission for INFO there is no run id, and restarts from disk go unnoticed
local run = ''
local info = redis.pcall('INFO', 'server')
if type(info) == 'string' then run = string.match(info, 'run_id:(%x+)') or '' end

local function text(key)
  local found = redis.pcall('GET', key)
  if type(found) == 'string' then return found end
  -- not a string: a foreign value under our key
  if found then redis.call('DEL', key) end
  return nil
end

-- Version and text of the value. If one of the two was evicted, both are removed: without its version a value may be
-- older or newer than any other.
local function held()
  local found, mark = text(value), text(version)
  local at, by = string.match(mark or '', '^(%d+) (%x*)$')
  if found and at and by == run then return tonumber(at), found end
  if found or mark then redis.call('DEL', value, version) end
  return nil
end

-- Token and floor of the current lease.
local function standing()
  local token, floor, by = string.match(text(lease) or '', '^(%S+) (%d+) (%x*)$')
  if token and by == run then return token, tonumber(floor) end
  return nil
end

local function worked(reply)
  return type(reply) == 'table' and reply.ok ~= nil
end

-- Stores the value; if memory is full, removes the old one instead. Must come before any DEL of its script: after a
-- write Redis no longer reports full memory to the script.
local function put(new, at, ttl)
  if worked(redis.pcall('SET', value, new, 'PX', ttl)) and worked(redis.pcall('SET', version, at .. ' ' .. run, 'PX', ttl)) then
    return true
  end
  redis.call('DEL', value, version, lease)
  return false
end

local function buried()
  if redis.call('EXISTS', tombstone) == 0 then return false end
  redis.call('DEL', value, version, lease)
  return true
end
`

const script = (body: string): Script => {
  const lua = SHARED + body
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

/**
 * ARGV: token, lease in ms. Returns `['hit', value]`, `['leased']`, `['miss']` if another lease exists, or
 * `['full']`.
 */
export const GET = script(`
if buried() then return {'miss'} end
local at, found = held()
if at then return {'hit', found} end
local holder = standing()
-- a cluster client resends requests after a lost connection
if holder == ARGV[1] then return {'leased'} end
if holder then return {'miss'} end
if worked(redis.pcall('SET', lease, ARGV[1] .. ' 0 ' .. run, 'PX', ARGV[2])) then return {'leased'} end
return {'full'}
`)

/**
 * ARGV: token or '', value, version, ttl in ms. Returns `['filled']`, `['refused']` or `['full']`.
 *
 * A reader without a lease still reports the version it read, so nobody can cache an older one: an older value is
 * replaced, and the lease of another reader gets a floor. A floor, unlike removing the lease, lets the holder fill if
 * it read at least that version, so concurrent misses do not keep revoking the lease of the one reader that can fill.
 */
export const FILL = script(`
local token, new, mark, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if buried() then return {'refused'} end
local at = held()
if at then
  if at < tonumber(mark) and not put(new, mark, ttl) then return {'full'} end
  return {'refused'}
end
local holder, floor = standing()
if not holder then return {'refused'} end
if holder == token then
  local state = 'refused'
  if tonumber(mark) >= floor then state = put(new, mark, ttl) and 'filled' or 'full' end
  redis.call('DEL', lease)
  return {state}
end
if tonumber(mark) > floor and not worked(redis.pcall('SET', lease, holder .. ' ' .. mark .. ' ' .. run, 'KEEPTTL')) then
  -- no room, or a Redis before 6 that has no KEEPTTL
  redis.call('DEL', lease)
end
return {'refused'}
`)

/** ARGV: value, version, ttl in ms. Returns `['written']`, even if there was no value to replace, or `['full']`. */
export const WRITE = script(`
if buried() then return {'written'} end
local at = held()
local full = at and at <= tonumber(ARGV[2]) and not put(ARGV[1], ARGV[2], ARGV[3])
redis.call('DEL', lease)
return {full and 'full' or 'written'}
`)

/** ARGV: lifetime of the tombstone in ms, 0 for none. Returns `['removed']`. */
export const REMOVE = script(`
redis.call('DEL', value, version, lease)
if ARGV[1] ~= '0' then redis.call('SET', tombstone, '1', 'PX', ARGV[1]) end
return {'removed'}
`)
