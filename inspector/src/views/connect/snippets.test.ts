import { describe, expect, it } from 'vitest'
import { snippets } from './snippets.ts'

const url = 'https://sessions.example.com'

describe('the code that connects an agent', () => {
  it('names the address of the server in each snippet', () => {
    const all = snippets({ url, isSecured: false, userId: 'ada' })
    expect(all.map(({ name }) => name)).toEqual(['TypeScript', 'Claude Code', 'MCP', 'curl', 'Command line'])
    for (const { code } of all) expect(code).toContain(url)
    expect(all.map(({ code }) => code).join()).not.toMatch(/token/i)
  })

  it('shows where a token goes, if the server requires one', () => {
    for (const { code, name } of snippets({ url, isSecured: true, userId: 'ada' })) {
      expect(code, name).toContain('TOKEN')
      // pasted, it would take the place of a good one
      expect(code, name).not.toMatch(/TOKEN=/)
    }
  })

  it('works as copied: a command is no JSON, and the demo uses this server', () => {
    const codeOf = (name: string) =>
      snippets({ url, isSecured: true, userId: 'ada' }).find((one) => one.name === name)?.code ?? ''
    expect(JSON.parse(codeOf('MCP'))).toMatchObject({ mcpServers: { throughline: { url: `${url}/mcp` } } })
    expect(codeOf('Claude Code')).not.toContain('{')
    expect(codeOf('Command line')).toContain(`demo --url ${url}`)
  })

  it('escapes quotes in a name', () => {
    const [typescript, , , curl] = snippets({ url, isSecured: false, userId: "o'neil\\" })
    expect(typescript?.code).toContain(String.raw`userId: 'o\'neil\\'`)
    expect(curl?.code).toContain(String.raw`"userId":"o'\''neil\\"`)
  })
})
