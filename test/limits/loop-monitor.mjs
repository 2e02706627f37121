// Preloaded by the servers of the tests in this folder. Measures the longest piece of work on the event loop, by the
// CPU time of its thread, and how far its memory grows. Reports both to its parent over the channel.
import { setInterval } from 'node:timers'
import { getHeapStatistics } from 'node:v8'

/** Milliseconds between two looks. The timer fires in the first turn of the event loop in which it is due. */
const EVERY = 5
/** Looks in a row without work, after which a request has no consequences left. */
const QUIET_LOOKS = 4
/** Milliseconds of CPU time of a look at an idle event loop. */
const IDLE_MS = 2

/** CPU time of this thread: other threads and other processes do not count. */
function cpuTime() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Bytes of objects and of buffers. */
function memory() {
  const { used_heap_size, external_memory } = getHeapStatistics()
  return used_heap_size + external_memory
}

const result = { longestMs: 0, spentMs: 0, grownBytes: 0 }
let last = cpuTime()
let base = memory()
let mostBytes = Number.POSITIVE_INFINITY
let quietLooks = 0
let onQuiet

function look() {
  const spent = cpuTime() - last
  result.longestMs = Math.max(result.longestMs, spent)
  result.spentMs += spent
  let grown = memory() - base
  if (grown > mostBytes) {
    // garbage is no growth
    globalThis.gc()
    grown = memory() - base
  }
  result.grownBytes = Math.max(result.grownBytes, grown)
  quietLooks = spent < IDLE_MS ? quietLooks + 1 : 0
  if (quietLooks >= QUIET_LOOKS) onQuiet?.()
  last = cpuTime()
}
setInterval(look, EVERY).unref()

process.on('message', (message) => {
  if (message === 'report') {
    quietLooks = 0
    onQuiet = () => {
      onQuiet = undefined
      process.send(result)
    }
    return
  }
  globalThis.gc()
  base = memory()
  mostBytes = message.mostBytes
  Object.assign(result, { longestMs: 0, spentMs: 0, grownBytes: 0 })
  last = cpuTime()
  process.send({})
})
process.channel?.unref()
// nobody measures any more
process.once('disconnect', () => process.exit(1))
