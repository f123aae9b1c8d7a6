import { describe, expect, it } from 'vitest'
import { mcpProgram, renderRegistrations } from './render-registrations.ts'

const jsonIn = (text: string): unknown[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('{'))
    .map((line): unknown => JSON.parse(line))

describe('registration of the server with assistants', () => {
  it('names the program of the path when installed', () => {
    const text = renderRegistrations(mcpProgram(false))
    expect(text).toContain('claude mcp add --scope user steward -- steward mcp\n')
    expect(text).toContain('codex mcp add steward -- steward mcp\n')
    expect(text).toContain('command = "steward"\n')
    const servers = { mcpServers: { steward: { command: 'steward', args: ['mcp'] } } }
    const local = { type: 'local', command: ['steward', 'mcp'], enabled: true }
    expect(jsonIn(text)).toEqual([servers, servers, { mcp: { steward: local } }])
  })

  it("uses the full path of a clone's launcher, and quotes words that a shell would split", () => {
    const [launcher = ''] = mcpProgram(true).args
    expect(launcher).toMatch(/^\/.*\/packages\/cli\/bin\/steward\.mjs$/)
    const text = renderRegistrations({ command: 'node', args: ["/it's mine/steward.mjs", 'mcp'] })
    expect(text).toContain(`-- node '/it'\\''s mine/steward.mjs' mcp\n`)
    expect(jsonIn(text)).toHaveLength(3)
  })
})
