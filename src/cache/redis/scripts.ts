import { createHash } from 'node:crypto'

/** A script that runs atomically on the server. KEYS are those of `keysOf`: value, version, lease, tombstone. */
export interface Script {
  lua: string
  sha: string
}

/*
 * What is stored beside the value:
 *   version    '<version> <run>'          set and expiring with the value
 *   lease      '<token> <floor> <run>'    whoever holds the token may fill, with nothing older than the floor
 *   tombstone  '1'
 * `run` is the id of the server's process. Values that a restart or a failover brought back from disk or from a replica may lack the
 * newest writes; they carry the id of another process, and count for nothing.
 */
const SHARED = `
local value, version, lease, tombstone = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

-- a server that does not let us ask has no run: then restarts from disk cannot be told
local run = ''
local info = redis.pcall('INFO', 'server')
if type(info) == 'string' then run = string.match(info, 'run_id:(%x+)') or '' end

local function text(key)
  local found = redis.pcall('GET', key)
  if type(found) == 'string' then return found end
  -- not a string: somebody else's, where ours belongs
  if found then redis.call('DEL', key) end
  return nil
end

-- Version and text of the value that is there. Half a pair means that memory ran out and the other half was evicted: without its
-- version a value may be older or newer than anything, so both go.
local function held()
  local found, mark = text(value), text(version)
  local at, by = string.match(mark or '', '^(%d+) (%x*)$')
  if found and at and by == run then return tonumber(at), found end
  if found or mark then redis.call('DEL', value, version) end
  return nil
end

-- Token and floor of the lease that stands.
local function standing()
  local token, floor, by = string.match(text(lease) or '', '^(%S+) (%d+) (%x*)$')
  if token and by == run then return token, tonumber(floor) end
  return nil
end

local function worked(reply)
  return type(reply) == 'table' and reply.ok ~= nil
end

-- Puts the value; where there is no room for it, removes what was there: it is older. It comes before any DEL of its script, since
-- a script that has written is no longer told that memory has run out.
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

/** ARGV: token, lease in ms. Gives `['hit', value]`, `['leased']`, `['miss']` where another's lease stands, or `['full']`. */
export const GET = script(`
if buried() then return {'miss'} end
local at, found = held()
if at then return {'hit', found} end
local holder = standing()
-- a cluster's client sends again what a lost connection left open
if holder == ARGV[1] then return {'leased'} end
if holder then return {'miss'} end
if worked(redis.pcall('SET', lease, ARGV[1] .. ' 0 ' .. run, 'PX', ARGV[2])) then return {'leased'} end
return {'full'}
`)

/**
 * ARGV: token or '', value, version, ttl in ms. Gives `['filled']`, `['refused']` or `['full']`.
 *
 * Whoever may not fill has still read the store, and must not find something older here next time: an older value is replaced, and
 * the lease of another gets a floor. Unlike the lease's end, a floor lets its holder fill if it read as much, so that a crowd
 * that misses at once does not keep taking the lease from the one who would end the crowd.
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

/** ARGV: value, version, ttl in ms. Gives `['written']`, whether or not there was something to replace, or `['full']`. */
export const WRITE = script(`
if buried() then return {'written'} end
local at = held()
local full = at and at <= tonumber(ARGV[2]) and not put(ARGV[1], ARGV[2], ARGV[3])
redis.call('DEL', lease)
return {full and 'full' or 'written'}
`)

/** ARGV: how long the tombstone stands in ms, 0 for none. Gives `['removed']`. */
export const REMOVE = script(`
redis.call('DEL', value, version, lease)
if ARGV[1] ~= '0' then redis.call('SET', tombstone, '1', 'PX', ARGV[1]) end
return {'removed'}
`)
