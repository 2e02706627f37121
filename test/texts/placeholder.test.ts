import { describe, expect, it } from 'vitest'
import { SessionNotFoundError } from '../../src/domain/errors.ts'
import { uuid7 } from '../../src/ids.ts'
import { openOn } from '../../src/open/open.ts'
import { describeThroughline } from '../../src/stores/conformance/index.ts'
import { memoryData, memoryStore } from '../../src/stores/memory/index.ts'
import { PLACEHOLDER, replaceTexts } from './placeholder-plugin.ts'

// vitest.config.ts loads this file with the plugin: every text for people is a placeholder, so no rule can depend on
// its wording

it('replaces sentences, and leaves codes, names and values alone', () => {
  const code = `['Not found', 'NOT_FOUND', \`session \${id} is at \${head}\`, \`\${id}:\${head}\`, \`it is \${b ? 'a b' : c}\`]`
  const replaced = `['«text»', 'NOT_FOUND', \`«text»\${id} \${head} \`, \`\${id}:\${head}\`, \`«text»\${b ? '«text»' : c} \`]`
  expect(replaceTexts(code, 'a.ts')).toBe(replaced)
  expect(new SessionNotFoundError('s').message).toContain(PLACEHOLDER)
})

describeThroughline(
  {
    name: 'memory, without texts',
    async create() {
      const data = memoryData()
      return { connect: async (options) => openOn(memoryStore(uuid7, data), options), destroy: async () => {} }
    },
    skip: { A9: 'memory belongs to one process' },
  },
  { describe, it },
)
