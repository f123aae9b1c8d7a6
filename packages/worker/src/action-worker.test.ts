import { startVendorStandIn, type VendorStandIn } from '@steward/models/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  actionWorker,
  type RunningWorkers,
  START_LIMIT_MS,
  startWorkers,
} from '../../edge/src/local/testing/start-workers.ts'
import { type LoopbackServer, serveLoopback } from '../../platform/src/testing/serve-loopback.ts'

const KEY = 'sk-worker-0123456789'
const ASK =
  'const { text, ...rest } = await context.capabilities.llm(input.prompt); return { text, rest }'
const FETCH = `
  const response = await context.capabilities.fetch(input.url, input.init)
  return { status: response.status, url: response.url, redirected: response.redirected, text: await response.text() }`
const COUNT = `
  let done = 0
  try {
    for (; done < input.times; done++) await context.capabilities[input.capability](input.argument)
  } catch (error) {
    return { done, code: error.code }
  }
  return { done }`
const llm = { requires: ['llm'] }

let vendor: VendorStandIn
let outside: LoopbackServer
let outsideCalls = 0
let workers: RunningWorkers

beforeAll(async () => {
  vendor = await startVendorStandIn({ apiKey: KEY })
  outside = await serveLoopback((request, response) => {
    outsideCalls += 1
    const { pathname } = new URL(request.url ?? '', 'http://outside')
    if (pathname === '/hang') return
    if (pathname.startsWith('/hop/')) {
      const left = Number(pathname.slice(5))
      response.writeHead(302, { location: left === 0 ? '/' : `/hop/${left - 1}` }).end()
      return
    }
    if (pathname === '/inward') {
      response.writeHead(302, { location: 'http://127.0.0.2/secret' }).end()
      return
    }
    if (pathname === '/large') {
      for (let mebibytes = 0; mebibytes < 16; mebibytes++)
        response.write(new Uint8Array(1024 * 1024))
      response.end()
      return
    }
    response.end('hello')
  })
  const models = { LLM_API_KEY: KEY, LLM_PROVIDER: 'anthropic', LLM_BASE_URL: vendor.url }
  const reach = { ALLOW_PRIVATE_HOSTS: `example.org, ${outside.host}` }
  workers = await startWorkers([
    actionWorker('A_ASK_VENDOR', ASK, llm, models),
    actionWorker('A_ASK_WRONGLY', ASK, llm, { ...models, LLM_API_KEY: 'sk-wrong-key-000' }),
    actionWorker('A_ASK_POOR', ASK, llm, { ...models, LLM_BUDGET_PER_RUN_USD: '0.0000001' }),
    actionWorker('A_ASK_OFFLINE', ASK, llm),
    actionWorker('A_ASK_OLLAMA', ASK, llm, { LLM_PROVIDER: 'ollama' }),
    actionWorker('A_FETCH_PAGE', FETCH, { requires: ['fetch'] }, reach),
    actionWorker('A_FETCH_PUBLIC', FETCH, { requires: ['fetch'] }),
    actionWorker('A_COUNT_CALLS', COUNT, { requires: ['fetch', 'llm'] }, reach),
    actionWorker(
      'A_SHOW_CONTEXT',
      'return { has: Object.keys(context.capabilities), mode: context.env.mode, given: context.secret("GIVEN"), other: context.secret("AUTH_TOKEN") ?? null, trace: context.trace, pipeline: context.pipeline ?? null }',
      { secrets: ['GIVEN'] },
      { GIVEN: 'a-given-secret' },
    ),
    actionWorker(
      'A_LEAK_SECRET',
      'throw new Error("the key is a-given-secret")',
      {},
      { GIVEN: 'a-given-secret' },
    ),
    actionWorker('A_LACK_SECRET', 'return { sent: context.secret("CHAT_TOKEN") }', {
      secrets: ['CHAT_TOKEN'],
    }),
    actionWorker('A_RUN_SHELL', 'return {}', { requires: ['shell'] }),
    actionWorker('A_RETURN_WRONG', 'return { words: "two" }', {
      output: { words: { type: 'integer' } },
    }),
    actionWorker('A_TAKE_LONG', 'await new Promise(() => setTimeout(() => {}, 60000))', {
      timeoutMs: 20,
    }),
  ])
}, START_LIMIT_MS)
afterAll(async () => {
  await workers.stop()
  await Promise.all([vendor.close(), outside.close()])
})

describe('llm', () => {
  it('calls the configured vendor, and reports the cost in a header', async () => {
    const response = await workers.call('A_ASK_VENDOR', '/', {
      method: 'POST',
      body: JSON.stringify({ prompt: 'Say hello.' }),
    })
    expect(await response.json()).toMatchObject({
      success: true,
      output: { rest: { provider: 'anthropic', model: 'claude-haiku-5-5' } },
    })
    expect(JSON.parse(response.headers.get('x-steward-spend') ?? '')).toMatchObject({
      calls: 1,
      models: ['claude-haiku-5-5'],
    })
    expect(vendor.calls.at(-1)).toMatchObject({ prompt: 'Say hello.' })
  })

  it('reports the cost in the body to other workers only', async () => {
    const ask = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ prompt: 'Say hello.' })
      const response = await workers.call('A_ASK_VENDOR', '/', { method: 'POST', body, headers })
      return response.json()
    }
    expect(await ask({ 'x-trace-id': 'run-7 2 P_X -' })).toMatchObject({ spend: { calls: 1 } })
    expect(await ask({ 'x-trace-id': 'run-7' })).not.toHaveProperty('spend')
    expect(await ask({})).not.toHaveProperty('spend')
  })

  it('reports an invalid key, without showing it', async () => {
    const { status, body } = await workers.post('A_ASK_WRONGLY', { prompt: 'x' })
    expect([status, body.code]).toEqual([502, 'invalid_api_key'])
    expect(JSON.stringify(body)).not.toContain('sk-wrong')
  })

  it('refuses a call that exceeds the budget, before it is made', async () => {
    const before = vendor.calls.length
    const { status, body } = await workers.post('A_ASK_POOR', { prompt: 'x' })
    expect([status, body.code]).toEqual([429, 'budget_exceeded'])
    expect(vendor.calls).toHaveLength(before)
  })

  it('is the offline model without configuration, and never looks for an Ollama', async () => {
    expect(
      await workers.post('A_ASK_OFFLINE', { prompt: 'One sentence about ice.' }),
    ).toMatchObject({
      body: { output: { rest: { provider: 'offline', model: 'offline-extractive' } } },
    })
    expect(await workers.post('A_ASK_OLLAMA', { prompt: 'x' })).toMatchObject({
      status: 500,
      body: { code: 'not_configured', error: expect.stringContaining('LLM_BASE_URL') },
    })
  })
})

describe('fetch', () => {
  it('follows redirects and reports the final address', async () => {
    const { body } = await workers.post('A_FETCH_PAGE', { url: `${outside.url}/hop/2#part` })
    expect(body.output).toMatchObject({
      status: 200,
      text: 'hello',
      url: `${outside.url}/`,
      redirected: true,
    })
  })

  it.each([
    ['http://127.0.0.1:1/', 'address_refused'],
    ['http://[::1]/', 'address_refused'],
    ['http://169.254.169.254/', 'address_refused'],
    ['file:///etc/passwd', 'address_refused'],
    ['not an address', 'invalid_input'],
  ])('refuses %s', async (url, code) => {
    const { status, body } = await workers.post('A_FETCH_PUBLIC', { url })
    expect([status, body.code]).toEqual([400, code])
  })

  it('refuses a redirect to a private address, too many redirects, and a body that is too large', async () => {
    const ask = async (path: string) =>
      (await workers.post('A_FETCH_PAGE', { url: `${outside.url}${path}` })).body.code
    expect(await ask('/inward')).toBe('address_refused')
    expect(await ask('/hop/6')).toBe('upstream_failed')
    expect(await ask('/large')).toBe('payload_too_large')
  })

  it('stops after the timeout of the action', async () => {
    const init = { timeoutMs: 20 }
    const { status, body } = await workers.post('A_FETCH_PAGE', {
      url: `${outside.url}/hang`,
      init,
    })
    expect([status, body.code]).toEqual([504, 'timeout'])
  })
})

describe('the limit of 1000 subrequests', () => {
  const count = async (input: object) => (await workers.post('A_COUNT_CALLS', input)).body.output

  it('lets exactly 1000 pass', async () => {
    const argument = `${outside.url}/`
    outsideCalls = 0
    expect(await count({ capability: 'fetch', argument, times: 1000 })).toMatchObject({
      done: 1000,
    })
    expect(outsideCalls).toBe(1000)
    expect(await count({ capability: 'fetch', argument, times: 1001 })).toMatchObject({
      done: 1000,
      code: 'subrequest_limit',
    })
    expect(outsideCalls).toBe(2000)
  })

  it('counts redirects and model calls', async () => {
    outsideCalls = 0
    const argument = `${outside.url}/hop/3`
    expect(await count({ capability: 'fetch', argument, times: 300 })).toMatchObject({
      done: 200,
      code: 'subrequest_limit',
    })
    expect(outsideCalls).toBe(1000)
    expect(await count({ capability: 'llm', argument: 'Ice.', times: 1001 })).toMatchObject({
      done: 1000,
      code: 'subrequest_limit',
    })
  })
})

describe('the action', () => {
  it('gets only what it declares', async () => {
    const { body } = await workers.post('A_SHOW_CONTEXT', {})
    expect(body.output).toEqual({
      has: [],
      mode: 'cloud',
      given: 'a-given-secret',
      other: null,
      trace: { runId: expect.stringMatching(/^[0-9a-f-]{36}$/), step: 0 },
      pipeline: null,
    })
  })

  it('accepts the trace of its caller, if it is a plain one', async () => {
    const ask = async (headers: Record<string, string>) => {
      const response = await workers.call('A_SHOW_CONTEXT', '/', {
        method: 'POST',
        body: '{}',
        headers,
      })
      return (await response.json()).output
    }
    expect(
      await ask({ 'x-trace-id': 'run-7', 'x-steward-step': '2', 'x-steward-pipeline': 'P_X' }),
    ).toMatchObject({
      trace: { runId: 'run-7', step: 2 },
      pipeline: { name: 'P_X', step: 2 },
    })
    expect(await ask({ 'x-trace-id': 'run-7 2 P_X work/3.each[1].2' })).toMatchObject({
      trace: { runId: 'run-7', step: 2 },
      pipeline: { name: 'P_X', step: 2 },
    })
    expect(await ask({ 'x-trace-id': 'run-7 2 - -' })).toMatchObject({
      trace: { runId: 'run-7', step: 2 },
      pipeline: null,
    })
    for (const strange of ['run-7 2', '<b> -1 p -', 'run-7 2 P_X - -'])
      expect(await ask({ 'x-trace-id': strange })).toMatchObject({
        trace: { runId: expect.stringMatching(/^[0-9a-f-]{36}$/), step: 0 },
        pipeline: null,
      })
    expect(
      await ask({ 'x-trace-id': '<b>', 'x-steward-step': '-1', 'x-steward-pipeline': 'p' }),
    ).toMatchObject({
      trace: { runId: expect.stringMatching(/^[0-9a-f-]{36}$/), step: 0 },
      pipeline: null,
    })
  })

  it('cannot have a shell in an isolate, and says so', async () => {
    expect(await workers.post('A_RUN_SHELL', {})).toMatchObject({
      status: 500,
      body: {
        code: 'capability_missing',
        action: 'A_RUN_SHELL',
        error: expect.stringContaining('shell'),
      },
    })
  })

  it('does not start without a required secret, and names the secret', async () => {
    expect(await workers.post('A_LACK_SECRET', {})).toMatchObject({
      status: 500,
      body: {
        code: 'secret_missing',
        error:
          'A_LACK_SECRET needs the secret CHAT_TOKEN, which is not set. Here: add it to .env in the data home. On the edge: steward secrets set CHAT_TOKEN --all',
      },
    })
  })

  it('fails with its name and its duration, and without secrets', async () => {
    expect(await workers.post('A_LEAK_SECRET', {})).toEqual({
      status: 500,
      body: {
        success: false,
        error: 'A_LEAK_SECRET failed: the key is [redacted:GIVEN]',
        code: 'action_failed',
        action: 'A_LEAK_SECRET',
        duration_ms: expect.any(Number),
      },
    })
    expect(workers.logs.join('')).not.toContain('a-given-secret')
    expect(await workers.post('A_RETURN_WRONG', {})).toMatchObject({
      status: 500,
      body: { code: 'invalid_output', error: expect.stringContaining('words') },
    })
    expect(await workers.post('A_TAKE_LONG', {})).toMatchObject({
      status: 504,
      body: { code: 'timeout' },
    })
  })
})
