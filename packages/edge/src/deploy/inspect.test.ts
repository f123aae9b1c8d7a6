import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeTailEvent, followLogs, type TailEvent } from './follow-logs.ts'
import { listWorkers } from './list-workers.ts'
import type { PlatformApi } from './platform-api.ts'
import { setSecret } from './secrets.ts'
import { apiOf } from './testing/api-of.ts'
import { type PlatformStandIn, startPlatformStandIn } from './testing/platform-stand-in.ts'
import { addScript } from './testing/platform-state.ts'
import { diagnoseCron, readWorkerStatus } from './worker-status.ts'

let platform: PlatformStandIn
let api: PlatformApi
beforeEach(async () => {
  platform = await startPlatformStandIn()
  api = apiOf(platform)
})
afterEach(() => platform.close())

const add = (name: string, services: string[] = [], secrets = {}) =>
  addScript(platform.state, name, {
    bindings: services.map((service) => ({ type: 'service', name: 'TO', service })),
    secrets,
    versions: ['v1', 'v2'],
    deployments: ['v1', 'v2'],
  })

describe('listWorkers', () => {
  it('lists our workers and ignores the rest of the account', async () => {
    add('exec-p-do-all')
    add('exec-a-zap-it')
    add('my-website')
    add('exec-other')
    expect(
      (await listWorkers(api)).map(({ worker, name, primitive }) => [worker, name, primitive]),
    ).toEqual([
      ['exec-a-zap-it', 'A_ZAP_IT', 'action'],
      ['exec-p-do-all', 'P_DO_ALL', 'pipeline'],
    ])
  })
})

describe('readWorkerStatus', () => {
  it('reports problems in the words of the spec', async () => {
    add('exec-p-do-all', ['exec-a-zap-it', 'exec-a-gone-now'])
    add('exec-a-zap-it', [], { AUTH_TOKEN: 'x' })
    const status = await readWorkerStatus(api, 'exec-p-do-all', [])
    expect(status).toMatchObject({ version: 'v2', deployedBy: 'ada@example.com' })
    expect(status.problems).toEqual([
      'AUTH_TOKEN is not set: every call is 401 unauthorized; set it with `steward secrets generate`',
      'binding error: TO leads to exec-a-gone-now, which is not deployed; deploy target workers before the workers that bind to them',
    ])
    expect((await readWorkerStatus(api, 'exec-a-zap-it', [])).problems).toEqual([])
  })

  it('suggests the intended worker', async () => {
    add('exec-a-zap-it')
    await expect(readWorkerStatus(api, 'exec-a-zap-at', [])).rejects.toThrow(
      /worker not found: exec-a-zap-at \(did you mean exec-a-zap-it\?\)/,
    )
  })
})

describe('diagnoseCron', () => {
  const flow = {
    primitive: 'flow',
    handlers: ['fetch', 'scheduled'],
    crons: ['*/5 * * * *'],
  } as const

  it('finds no problem if all is well, or if there is no cron', () => {
    expect(diagnoseCron(flow)).toEqual([])
    expect(diagnoseCron({ ...flow, expected: ['*/5 * * * *'] })).toEqual([])
    expect(diagnoseCron({ ...flow, primitive: 'action', expected: [] })).toEqual([])
  })

  it('names a handler that is not exported and settings that differ', () => {
    expect(diagnoseCron({ ...flow, handlers: ['fetch'] })[0]).toMatch(/scheduled handler is not/)
    expect(diagnoseCron({ ...flow, expected: ['0 * * * *'] })[0]).toMatch(
      /settings are "\*\/5 \* \* \* \*", the configuration says "0 \* \* \* \*"/,
    )
    expect(diagnoseCron({ ...flow, crons: [], expected: ['0 * * * *'] })[0]).toMatch(/are none/)
  })
})

describe('setSecret', () => {
  it('sets nothing if one of the workers does not exist', async () => {
    add('exec-a-zap-it')
    const wrangler = {
      putSecret: () => Promise.reject(new Error('called')),
      deploy: () => Promise.reject(new Error('called')),
      tryDeploy: () => Promise.reject(new Error('called')),
      deleteWorker: () => Promise.reject(new Error('called')),
      readToken: async () => undefined,
    }
    const workers = ['exec-a-zap-it', 'exec-a-zap-id']
    await expect(
      setSecret({ api, wrangler, onProgress: () => undefined }, { name: 'K', value: 'v' }, workers),
    ).rejects.toThrow(/exec-a-zap-id \(did you mean exec-a-zap-it\?\)/)
  })
})

describe('followLogs', () => {
  it('reports events, reopens a tail that the platform closed, and closes its own', async () => {
    add('exec-f-ab-cd')
    const stop = new AbortController()
    const seen: TailEvent[] = []
    const got = (count: number) => expect.poll(() => seen.length).toBe(count)
    const first = platform.nextTail()
    const following = followLogs(
      {
        api,
        webSocket: (url, protocol) => new WebSocket(url, protocol),
        signal: stop.signal,
        onOpen: () => undefined,
        onEvent: (_, event) => seen.push(event),
      },
      'exec-f-ab-cd',
    )
    const tail = await first
    tail.send({ outcome: 'ok', logs: [{ level: 'log', message: ['x'.repeat(200)] }] })
    await got(1)
    const second = platform.nextTail()
    tail.close()
    ;(await second).send({ outcome: 'exception' })
    await got(2)
    stop.abort()
    await following
    expect(seen.map(({ outcome }) => outcome)).toEqual(['ok', 'exception'])
    expect(platform.state.tails.size).toBe(0)
    expect(platform.state.unexpected).toEqual([])
  })

  it('ends when it is aborted while a tail is being opened', async () => {
    add('exec-f-ab-cd')
    const stop = new AbortController()
    platform.onCall(({ method, path }) => {
      if (method === 'POST' && path.endsWith('/tails')) stop.abort()
    })
    const webSocket = (url: string, protocol: string) => new WebSocket(url, protocol)
    const onOpen = () => undefined
    const onEvent = () => undefined
    const ports = { api, webSocket, signal: stop.signal, onOpen, onEvent }
    await followLogs(ports, 'exec-f-ab-cd')
    expect(platform.state.tails.size).toBe(0)
  })

  it('reports a missing worker', async () => {
    const ports = {
      api,
      webSocket: () => new WebSocket('ws://127.0.0.1:1'),
      signal: new AbortController().signal,
      onOpen: () => undefined,
      onEvent: () => undefined,
    }
    await expect(followLogs(ports, 'exec-a-none-here')).rejects.toMatchObject({
      code: 'worker_not_found',
    })
  })
})

describe('describeTailEvent', () => {
  it.each([
    [
      {
        event: { request: { method: 'POST', url: 'https://x/' }, response: { status: 500 } },
        outcome: 'exception',
      },
      ['POST https://x/ 500 exception'],
    ],
    [{ event: { cron: '*/5 * * * *' }, outcome: 'ok' }, ['cron "*/5 * * * *" ok']],
    [{ event: { queue: 'items', batchSize: 3 }, outcome: 'ok' }, ['queue items, 3 messages ok']],
    [{}, ['call unknown']],
  ])('says what started an invocation and how it ended: %j', (event, lines) => {
    expect(describeTailEvent(event)).toEqual(lines)
  })

  it('shows log messages and exceptions', () => {
    const event = {
      outcome: 'exception',
      logs: [{ level: 'error', message: ['a', { b: 1 }] }, 'odd'],
      exceptions: [{ name: 'TypeError', message: 'no' }],
    }
    expect(describeTailEvent(event)).toEqual([
      'call exception',
      '  error: a {"b":1}',
      '  exception: TypeError: no',
    ])
  })
})
