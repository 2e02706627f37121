import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['test/servers/setup.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // child processes of the race and crash tests need the cores too
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
