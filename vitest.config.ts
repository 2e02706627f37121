import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['test/servers/setup.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // most of the half second that a child needs to start goes into compiling
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'throughline-compile-cache') },
    // child processes of the race and crash tests need the cores too
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
