import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { CACHE_HOME } from '../../scripts/testing/cache-home.ts'
import { type Cli, createCli, writeAction } from './cli-process.ts'
import { PACKED_LAUNCHER } from './launcher.ts'

/** Loading code takes most of a start. The daemon's code, which is not needed, would exceed this. */
const MOST_CODE_BYTES = 2_750_000
const ANY_MOMENT = { timeout: 20_000, interval: 20 }
const SECRET = 'open-sesame-0123456789'

let cli: Cli
const clients: Client[] = []
beforeEach(() => {
  cli = createCli()
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  cli.remove()
})

/** The bytes of all files of code that a process loaded, by the record that Node writes at its end. */
const loadedBytes = (folder: string): number =>
  readdirSync(folder)
    .map((file) => loadedScripts.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
    .flatMap(({ result }) => result.filter(({ url }) => url.startsWith('file:')))
    .reduce((sum, { url }) => sum + statSync(new URL(url)).size, 0)

const loadedScripts = z.object({ result: z.array(z.object({ url: z.string() })) })

/** Starts `steward mcp` as an assistant does, and connects the official client. */
const connect = async (flags: readonly string[] = [], env: Record<string, string> = {}) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PACKED_LAUNCHER, 'mcp', ...flags],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: cli.files,
      XDG_CACHE_HOME: CACHE_HOME,
      STEWARD_HOME: cli.home,
      ...env,
    },
    cwd: cli.files,
    stderr: 'pipe',
  })
  const said: string[] = []
  transport.stderr?.on('data', (chunk) => said.push(String(chunk)))
  const client = new Client({ name: 'e2e', version: '1.0.0' })
  await client.connect(transport)
  clients.push(client)
  const { tools } = await client.listTools()
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    CallToolResultSchema.parse(await client.callTool({ name, arguments: args }))
  return { client, tools, call, said }
}

describe('steward mcp', () => {
  it('reads for any assistant and changes nothing, with and without a data home', async () => {
    const { tools, call, client, said } = await connect()
    const arguments_ = { query: 'retry', note: 'x', id: 'x' }
    for (const { name } of tools) await call(name, arguments_)
    expect(tools).toHaveLength(10)
    expect(existsSync(cli.home)).toBe(false)
    const own = await call('wiki_search', { query: 'summarize' })
    expect(own.structuredContent).toMatchObject({ matched: 'all' })

    await cli.run(['knowledge', 'add', 'ideas', 'Back off', '--body', `Retry later. ${SECRET}`])
    writeFileSync(join(cli.home, '.env'), `API_KEY=${SECRET}\n`)
    writeAction(cli, 'A_ECHO_TEXT', 'export const execute = ({ text }) => ({ said: text })', {
      input: { text: { type: 'string' } },
      output: { said: { type: 'string' } },
    })
    await cli.json(['run', 'A_ECHO_TEXT', '--local', '--text', 'hello'])
    const found = await call('knowledge_search', { query: 'retyr' })
    expect(found.structuredContent).toMatchObject({ results: [{ note: 'Ideas/back-off' }] })
    const read = await call('knowledge_read', { note: 'Back off' })
    expect(read.structuredContent).toMatchObject({
      text: expect.stringContaining('[redacted:API_KEY]'),
    })
    const runs = await call('runs_list', { name: 'A_ECHO_TEXT' })
    expect(runs.structuredContent).toMatchObject({ runs: [{ name: 'A_ECHO_TEXT' }] })
    const uri = 'steward://knowledge/Ideas/back-off'
    expect((await client.listResources()).resources.map((each) => each.uri)).toContain(uri)
    expect(JSON.stringify(await client.readResource({ uri }))).not.toContain(SECRET)
    expect(await call('notify', { message: 'x' })).toMatchObject({ isError: true })
    expect(said.join('')).toBe('')
  })

  it('lists its tools without loading the daemon, so that assistants have them at their first request', async () => {
    const record = join(cli.files, 'loaded')
    const { client, tools } = await connect([], { NODE_V8_COVERAGE: record })
    expect(tools).toHaveLength(10)
    await client.close()
    await vi.waitFor(() => expect(readdirSync(record)).toHaveLength(1), ANY_MOMENT)
    await vi.waitFor(() => expect(loadedBytes(record)).toBeGreaterThan(500_000), ANY_MOMENT)
    expect(loadedBytes(record)).toBeLessThan(MOST_CODE_BYTES)
  })

  it('writes only with permission, and never over a version that it has not read', async () => {
    mkdirSync(cli.home)
    writeFileSync(join(cli.home, 'settings.json'), '{"mcp": {"allowWrites": true}}')
    const { call } = await connect()
    const note = { note: 'Ideas/one', title: 'One', content: 'First.' }
    const made = await call('knowledge_write', note)
    expect(made.structuredContent).toMatchObject({ created: true })
    const etag = made.structuredContent?.etag
    writeFileSync(join(cli.home, 'MEMORY/KNOWLEDGE/Ideas/one.md'), 'Edited by hand.\n')
    const late = await call('knowledge_write', { note: 'Ideas/one', content: 'Second.', etag })
    expect(late).toMatchObject({ isError: true })
    expect(JSON.stringify(late.content)).toContain('Edited by hand.')
    const told = await call('notify', { message: 'Look', channels: ['push'] })
    expect(told.structuredContent).toMatchObject({ deliveries: [{ state: 'skipped' }] })
    const log = await call('notifications_list')
    expect(log.structuredContent).toMatchObject({ notifications: [{ message: 'Look' }] })
  })
})
