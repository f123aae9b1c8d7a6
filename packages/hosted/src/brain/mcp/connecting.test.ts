import { once } from 'node:events'
import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { message } from '../testing/brain-bench.ts'
import { calls, says, scriptModel } from '../testing/scripted-model.ts'
import { find, lastStop, type McpBench, openMcpBench, withServer } from './testing/mcp-bench.ts'
import { type ServedMcp, serveMcp } from './testing/serve-mcp.ts'

let bench: McpBench
let served: ServedMcp
const closers: (() => void)[] = []
beforeEach(async () => {
  bench = openMcpBench()
  served = await serveMcp()
  bench.allow(served.host)
})
afterEach(async () => {
  await served.close()
  for (const close of closers.splice(0)) close()
  expect(bench.reported).toEqual([])
  await bench.close()
})

const errorsOf = async (id = 'sesn_1') =>
  find(await bench.log(id), 'session.error').map(({ body }) => body.error)
const say = async (text = 'go') => {
  await bench.send('sesn_1', message(text))
}
const listen = async (listener: Parameters<typeof createServer>[1]): Promise<string> => {
  const server = createServer(listener ?? (() => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return `127.0.0.1:${address.port}`
}

describe('a server that cannot be reached', () => {
  test('is reported once per turn, and the turn continues without it', async () => {
    await served.close()
    await bench.addSession('sesn_1', withServer(served.url))
    const model = scriptModel([says('a'), says('b')])
    const brain = bench.brain(model)
    await say()
    await brain.wake('sesn_1')
    expect(await errorsOf()).toEqual([
      {
        type: 'mcp_connection_failed_error',
        message: expect.stringContaining(`the MCP server notes at ${served.host} cannot be used`),
        mcp_server_name: 'notes',
        retry_status: { type: 'retrying' },
      },
    ])
    expect(model.asked[0]?.tools).toEqual([])
    expect(lastStop(await bench.log('sesn_1'))).toEqual({ type: 'end_turn' })
    await say('more')
    await brain.wake('sesn_1')
    expect(await errorsOf()).toHaveLength(2)
  })

  test('is not tried at a private address that the settings do not allow', async () => {
    bench.allow()
    await bench.addSession('sesn_1', withServer(served.url))
    await say()
    await bench.brain(scriptModel([says('a')])).wake('sesn_1')
    expect(await errorsOf()).toMatchObject([
      { type: 'mcp_connection_failed_error', message: expect.stringContaining('mcpPrivateHosts') },
    ])
    expect(served.tokens).toEqual([])
  })

  test('times out', async () => {
    const asked = Promise.withResolvers<void>()
    const host = await listen(() => asked.resolve())
    bench.allow(host)
    await bench.addSession('sesn_1', withServer(`http://${host}/mcp`))
    await say()
    const woken = bench.brain(scriptModel([says('a')])).wake('sesn_1')
    await asked.promise
    bench.pass(15_000)
    expect(await woken).toBe('rests')
    expect(await errorsOf()).toMatchObject([
      { message: expect.stringContaining('took longer than 15000 ms') },
    ])
  })

  test('can be interrupted: the turn ends', async () => {
    const asked = Promise.withResolvers<void>()
    const host = await listen(() => asked.resolve())
    bench.allow(host)
    await bench.addSession('sesn_1', withServer(`http://${host}/mcp`))
    await say()
    const stopping = { now: false }
    const brain = bench.brain(scriptModel([says('a')]))
    const woken = brain.wake('sesn_1')
    await asked.promise
    bench.connectMcp = async () => {
      stopping.now = true
      return { tools: [], call: async () => Promise.reject(), close: async () => undefined }
    }
    await bench.send('sesn_1', { type: 'user.interrupt', queued: true })
    await woken
    const log = await bench.log('sesn_1')
    expect(find(log, 'session.status_idle').map(({ body }) => body.stop_reason)).toEqual([
      { type: 'end_turn' },
      { type: 'end_turn' },
    ])
    expect(stopping.now).toBe(true)
  })
})

describe('a server older than streamable HTTP', () => {
  test('is reached over SSE', async () => {
    const transports = new Map<string, SSEServerTransport>()
    const host = await listen(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x.test')
      const known = transports.get(searchParams.get('sessionId') ?? '')
      if (request.method === 'POST' && known !== undefined)
        return void (await known.handlePostMessage(request, response))
      if (request.method !== 'GET' || pathname !== '/sse') return void response.writeHead(405).end()
      const mcp = new McpServer({ name: 'old', version: '1' })
      mcp.registerTool('greet', { description: 'Greets.' }, () => ({
        content: [{ type: 'text', text: 'good day' }],
      }))
      const transport = new SSEServerTransport('/messages', response)
      transports.set(transport.sessionId, transport)
      await mcp.connect(transport)
    })
    bench.allow(host)
    await bench.addSession('sesn_1', withServer(`http://${host}/sse`, 'always_allow'))
    await say()
    const model = scriptModel([calls({ id: 't1', name: 'mcp__notes__greet' }), says('done')])
    await bench.brain(model).wake('sesn_1')
    expect(await errorsOf()).toEqual([])
    const [result] = find(await bench.log('sesn_1'), 'agent.mcp_tool_result')
    expect(result?.body.content).toEqual([{ type: 'text', text: 'good day' }])
  })
})

describe('a credential', () => {
  const TOKEN = 'token-of-the-notes'

  test('is only sent to its own server', async () => {
    const other = await serveMcp()
    closers.push(() => void other.close())
    bench.allow(served.host, other.host)
    served.wantsToken = TOKEN
    const auth = { type: 'static_bearer' as const, mcp_server_url: `${served.url}/`, token: TOKEN }
    await bench.addCredential('vcrd_1', auth)
    const { agent, ...rest } = withServer(served.url, 'always_allow')
    if (agent === undefined) throw new Error('no agent')
    const toolset = agent.tools.map((tool) => ({ ...tool, mcp_server_name: 'other' }))
    await bench.addSession('sesn_1', {
      ...rest,
      agent: {
        ...agent,
        tools: [...agent.tools, ...toolset],
        mcp_servers: [...agent.mcp_servers, { type: 'url', name: 'other', url: other.url }],
      },
    })
    await say()
    const model = scriptModel([
      calls({ id: 't1', name: 'mcp__notes__whisper' }, { id: 't2', name: 'mcp__other__whisper' }),
      says('done'),
    ])
    await bench.brain(model).wake('sesn_1')
    expect(await errorsOf()).toEqual([])
    expect(new Set(served.tokens)).toEqual(new Set([`Bearer ${TOKEN}`]))
    expect(new Set(other.tokens)).toEqual(new Set([undefined]))
    const results = find(await bench.log('sesn_1'), 'agent.mcp_tool_result')
    expect(results.map(({ body }) => body.content)).toEqual([
      [{ type: 'text', text: 'you are Bearer [secret]' }],
      [{ type: 'text', text: 'you are undefined' }],
    ])
    expect(await bench.text('sesn_1')).not.toContain(TOKEN)
    expect(JSON.stringify(model.asked)).not.toContain(TOKEN)
  })

  test('is reported without its secret if the server rejects it', async () => {
    served.wantsToken = 'another-token'
    const auth = { type: 'static_bearer' as const, mcp_server_url: served.url, token: TOKEN }
    await bench.addCredential('vcrd_1', auth)
    await bench.addSession('sesn_1', withServer(served.url))
    await say()
    await bench.brain(scriptModel([says('a')])).wake('sesn_1')
    expect(await errorsOf()).toMatchObject([
      { type: 'mcp_authentication_failed_error', mcp_server_name: 'notes' },
    ])
    expect(served.tokens).toEqual([`Bearer ${TOKEN}`])
    expect(await bench.text('sesn_1')).not.toContain(TOKEN)
  })

  const oauth = (host: string, more: { expires_at?: string } = {}) => ({
    type: 'mcp_oauth' as const,
    mcp_server_url: served.url,
    access_token: 'old-access-token',
    refresh: {
      client_id: 'client id',
      refresh_token: 'refresh-1',
      token_endpoint: `http://${host}/token`,
      token_endpoint_auth: { type: 'client_secret_basic' as const, client_secret: 'p:w' },
      scope: 'notes',
    },
    ...more,
  })
  const serveTokens = async (status = 200) => {
    const seen: { form: Record<string, string>; authorization: string | undefined }[] = []
    const host = await listen(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const { authorization } = request.headers
      seen.push({ form: Object.fromEntries(new URLSearchParams(body)), authorization })
      const granted = {
        access_token: 'new-access-token',
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: 'refresh-2',
      }
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(granted))
    })
    bench.allow(served.host, host)
    return { host, seen }
  }

  test('is refreshed once and stored if it has expired', async () => {
    served.wantsToken = 'new-access-token'
    const { host, seen } = await serveTokens()
    await bench.addCredential('vcrd_1', oauth(host))
    await bench.addSession('sesn_1', withServer(served.url, 'always_allow'))
    await say()
    const note = { id: 't1', name: 'mcp__notes__note', input: { text: 'x' } }
    await bench.brain(scriptModel([calls(note), says('done')])).wake('sesn_1')
    expect(await errorsOf()).toEqual([])
    expect(served.notes).toEqual(['x'])
    expect(seen).toEqual([
      {
        form: { grant_type: 'refresh_token', refresh_token: 'refresh-1', scope: 'notes' },
        authorization: `Basic ${Buffer.from('client+id:p%3Aw').toString('base64')}`,
      },
    ])
    expect(await bench.credential('vcrd_1')).toMatchObject({
      access_token: 'new-access-token',
      expires_at: new Date(bench.nowMs + 3_600_000).toISOString(),
      refresh: { refresh_token: 'refresh-2', client_id: 'client id' },
    })
    expect(await bench.text('sesn_1')).not.toMatch(/access-token|refresh-\d/)
  })

  test('is refreshed before use if it is about to expire', async () => {
    const { host, seen } = await serveTokens()
    const expires_at = new Date(bench.nowMs + 1000).toISOString()
    await bench.addCredential('vcrd_1', oauth(host, { expires_at }))
    await bench.addSession('sesn_1', withServer(served.url))
    await say()
    await bench.brain(scriptModel([says('done')])).wake('sesn_1')
    expect(seen).toHaveLength(1)
    expect(new Set(served.tokens)).toEqual(new Set(['Bearer new-access-token']))
  })

  test('fails the authentication if it cannot be refreshed', async () => {
    served.wantsToken = 'new-access-token'
    const { host, seen } = await serveTokens(400)
    await bench.addCredential('vcrd_1', oauth(host))
    await bench.addSession('sesn_1', withServer(served.url))
    await say()
    await bench.brain(scriptModel([says('done')])).wake('sesn_1')
    expect(await errorsOf()).toMatchObject([{ type: 'mcp_authentication_failed_error' }])
    expect(seen).toHaveLength(1)
    expect(await bench.credential('vcrd_1')).toMatchObject({ access_token: 'old-access-token' })
  })
})
