import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { API, type Route, type RouteInput, runDetail, runRecord } from '@steward/contract'
import { createTemporaryHome, type TemporaryHome } from '@steward/platform/testing'
import { openLocalRuntime } from '@steward/runner'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createBus } from '../../bus/bus.ts'
import { type Call, type DaemonModule, ReadyJson } from '../../module.ts'
import type { Notice, NoticeSent } from '../../ports.ts'
import { createExecutionModule } from './execution-module.ts'

let home: TemporaryHome
let module: DaemonModule
let lines: string[]
let stopped: AbortController

const say = (message: string): void => {
  lines.push(message)
}
const log = { info: say, warn: say, error: say }
let bus: ReturnType<typeof createBus>
/** Sends notices; tests may replace it. */
let send: (notice: Notice) => Promise<NoticeSent>

const setTimer = (delayMs: number, action: () => void) => {
  const timer = setTimeout(action, delayMs)
  return () => clearTimeout(timer)
}

/** Replaces the file watcher: tests trigger changes. */
let onFolderChange: () => void
const watchFolder = (_path: string, onChange: () => void) => {
  onFolderChange = onChange
  return () => undefined
}

const openModule = (startTimer: typeof setTimer): DaemonModule =>
  createExecutionModule({
    open: () =>
      openLocalRuntime({
        env: { STEWARD_HOME: home.path, LLM_PROVIDER: 'offline' },
        homedir: home.path,
        builtIn: `${home.path}/none`,
      }),
    bus,
    notices: { send: (notice) => send(notice) },
    log,
    now: Date.now,
    setTimer: startTimer,
    watchFolder,
  })

beforeEach(async () => {
  home = createTemporaryHome()
  lines = []
  stopped = new AbortController()
  bus = createBus(log)
  send = async () => ({ stored: true })
  // Test machines may lack a sandbox.
  home.write('settings.json', '{ "execution": { "shell": { "withoutSandbox": "run" } } }')
  home.action('A_SHOUT_TITLE', 'return { shout: String(input.title).toUpperCase() }')
  home.action('A_ADD_BODY', 'return { body: `## ${input.shout}` }')
  home.action(
    'A_WAIT_FILE',
    `const isThere = () => context.capabilities.readFile(input.file).then(() => true, () => false)
     while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 5))
     return { waited: true }`,
    { requires: ['readFile'] },
  )
  home.pipeline('P_SHOUT', ['A_SHOUT_TITLE', 'A_ADD_BODY'])
  module = openModule(setTimer)
  await module.start?.()
})

afterEach(async () => {
  stopped.abort()
  await module.stop?.()
  home.remove()
})

const call = (): Call => ({ signal: stopped.signal, header: () => undefined })

const ask = async <R extends Route>(
  route: R,
  input: Partial<{ params: unknown; query: unknown; body: unknown }> = {},
): Promise<unknown> => {
  const handler = module.handlers.find((each) => each.route === route)
  if (handler === undefined) throw new Error(`no handler for ${route.path}`)
  const parse = (shape: z.ZodType | undefined, value: unknown) => shape?.parse(value ?? {})
  const given: { [K in keyof RouteInput<R>]: unknown } = {
    params: parse(route.params, input.params),
    query: parse(route.query, input.query),
    body: parse(route.body, input.body),
  }
  return handler.answer(given, call())
}

const idIn = (answer: unknown): string => z.object({ id: z.string() }).parse(answer).id
const read = async (id: string) => runDetail.parse(await ask(API.getRun, { params: { id } }))
const ended = async (id: string) => {
  for (;;) {
    const run = await read(id)
    if (run.status !== 'running') return run
    await wait(5)
  }
}

describe('POST /api/runs', () => {
  it('answers with the id while the run continues; its record exists immediately', async () => {
    const file = `${home.path}/USER/go`
    const id = idIn(await ask(API.startRun, { body: { name: 'A_WAIT_FILE', input: { file } } }))
    expect(await read(id)).toMatchObject({ status: 'running', name: 'A_WAIT_FILE' })
    expect(module.health()).toMatchObject({ status: 'ok', running: 1 })
    home.write('USER/go', '')
    expect(await ended(id)).toMatchObject({ status: 'completed', output: { waited: true } })
  })

  it('runs a pipeline whole, and the same key only once', async () => {
    const body = { name: 'P_SHOUT', input: { title: 'hi' }, idempotencyKey: 'once' }
    const id = idIn(await ask(API.startRun, { body }))
    expect(await ended(id)).toMatchObject({ output: { title: 'hi', shout: 'HI', body: '## HI' } })
    expect(idIn(await ask(API.startRun, { body }))).toBe(id)
    const other = { ...body, input: { title: 'other' } }
    await expect(ask(API.startRun, { body: other })).rejects.toMatchObject({ code: 'run_conflict' })
  })

  it('reports why a run cannot start', async () => {
    const started = ask(API.startRun, { body: { name: 'P_SHOUTS' } })
    await expect(started).rejects.toMatchObject({ code: 'not_found' })
    expect(module.health()).toMatchObject({ running: 0 })
  })
})

describe('POST /api/runs?wait=SECONDS', () => {
  const file = () => `${home.path}/USER/go`
  const begin = (query: object, body: object) => ask(API.startRun, { query, body })
  const read200 = async (answer: Promise<unknown>): Promise<unknown> => {
    const result = await answer
    if (!(result instanceof ReadyJson)) return result
    expect(result.status).toBe(200)
    return new Response(result.body).json()
  }

  it('answers with the output when the run has ended', async () => {
    const answer = begin({ wait: '20' }, { name: 'P_SHOUT', input: { title: 'hi' } })
    expect(await read200(answer)).toEqual({
      id: expect.any(String),
      status: 'completed',
      output: { title: 'hi', shout: 'HI', body: '## HI' },
    })
  })

  it('answers with the error of a failed run, without secrets', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    home.action('A_BREAK_DOWN', `throw new Error('refused with ${secret}')`)
    const answer = await read200(begin({ wait: 20 }, { name: 'A_BREAK_DOWN' }))
    expect(answer).toMatchObject({ status: 'failed', error: { code: 'action_failed' } })
    expect(JSON.stringify(answer)).not.toContain(secret)
  })

  it('answers that the run continues when the time is over', async () => {
    const body = { name: 'A_WAIT_FILE', input: { file: file() } }
    const answer = await begin({ wait: 0.01 }, body)
    expect(answer).toEqual({ id: expect.any(String), status: 'running' })
    home.write('USER/go', '')
    expect(await ended(idIn(answer))).toMatchObject({ status: 'completed' })
  })

  it('runs once for calls with the same key, and each of them gets the output', async () => {
    const body = { name: 'A_WAIT_FILE', input: { file: file() }, idempotencyKey: 'same' }
    const id = idIn(await begin({ wait: 0.01 }, body))
    const waiting = [1, 2, 3].map(() => read200(begin({ wait: 20 }, body)))
    const other = begin({ wait: 20 }, { ...body, input: { file: `${file()}-other` } })
    await expect(other).rejects.toMatchObject({ code: 'run_conflict' })
    home.write('USER/go', '')
    const whole = { id, status: 'completed', output: { file: file(), waited: true } }
    expect(await Promise.all(waiting)).toEqual([whole, whole, whole])
    expect(await read200(begin({ wait: 20 }, body))).toEqual(whole)
  })

  it('answers that a run was cancelled', async () => {
    const body = { name: 'A_WAIT_FILE', input: { file: file() }, idempotencyKey: 'stopped' }
    const id = idIn(await begin({ wait: 0.01 }, body))
    const waiting = read200(begin({ wait: 20 }, body))
    await ask(API.cancelRun, { params: { id } })
    expect(await waiting).toMatchObject({
      id,
      status: 'cancelled',
      error: { code: 'run_cancelled' },
    })
  })

  it('refuses to start more runs at a time than the machine can hold, and accepts them later', async () => {
    const body = { name: 'A_WAIT_FILE', input: { file: file() } }
    const ids = await Promise.all(
      Array.from({ length: 64 }, async () => idIn(await begin({}, body))),
    )
    await expect(begin({}, body)).rejects.toMatchObject({
      code: 'too_many_runs',
      details: { retryAfterSeconds: 1 },
    })
    home.write('USER/go', '')
    await Promise.all(ids.map(ended))
    expect(await read200(begin({ wait: 20 }, body))).toMatchObject({ status: 'completed' })
  })
})

describe('GET /api/runs', () => {
  it('pages through them, the newest first', async () => {
    const ids: string[] = []
    for (const title of ['a', 'b', 'c']) {
      const id = idIn(await ask(API.startRun, { body: { name: 'P_SHOUT', input: { title } } }))
      await ended(id)
      ids.unshift(id)
    }
    const page = z.object({ runs: z.array(runRecord), next: z.string().nullable() })
    const first = page.parse(await ask(API.listRuns, { query: { limit: '2' } }))
    expect(first.runs.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    const query = { limit: '2', before: first.next }
    const second = page.parse(await ask(API.listRuns, { query }))
    expect(second).toMatchObject({ runs: [{ id: ids[2] }], next: null })
  })

  it('rejects unknown run ids', async () => {
    await expect(ask(API.getRun, { params: { id: 'nope' } })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

it('repeats a run from a step, counted from 1', async () => {
  const id = idIn(await ask(API.startRun, { body: { name: 'P_SHOUT', input: { title: 'hi' } } }))
  await ended(id)
  const again = idIn(await ask(API.rerunRun, { params: { id }, body: { from: 2 } }))
  expect(await ended(again)).toMatchObject({
    rerunOf: { id, fromStep: 2 },
    status: 'completed',
    output: { body: '## HI' },
  })
  const beyond = ask(API.rerunRun, { params: { id }, body: { from: 9 } })
  await expect(beyond).rejects.toMatchObject({ code: 'run_not_resumable' })
})

it('streams a run from its beginning to its end', async () => {
  const file = `${home.path}/USER/go`
  const id = idIn(await ask(API.startRun, { body: { name: 'A_WAIT_FILE', input: { file } } }))
  const response = await ask(API.streamRun, { params: { id } })
  if (!(response instanceof Response)) throw new Error('no stream')
  home.write('USER/go', '')
  const text = await response.text()
  const kinds = [...text.matchAll(/^event: (.*)$/gm)].map(([, kind]) => kind)
  expect(kinds[0]).toBe('run')
  expect(kinds).toContain('progress')
  expect(kinds.at(-1)).toBe('end')
  expect(text).toContain('"status":"completed"')
})

describe('a flow of the daemon', () => {
  const flow = (path: string) => ({
    id: 'news',
    name: 'F_NEWS',
    source: { type: 'file', path },
    pipeline: 'P_SHOUT',
    destination: { type: 'file', path: 'out.jsonl' },
    schedule: { intervalMinutes: 60, enabled: true },
  })
  const begin = async () => idIn(await ask(API.startRun, { body: { name: 'F_NEWS' } }))
  const finish = async (id: string) => {
    const run = await ended(id)
    // The lock is released slightly after the record is written.
    await expect.poll(() => module.health().running).toBe(0)
    return run
  }
  const start = async () => finish(await begin())

  it('that fails is a notice under the key of its run, on disk before its end is', async () => {
    const notices: Notice[] = []
    const onDisk = Promise.withResolvers<void>()
    send = async (notice) => {
      notices.push(notice)
      await onDisk.promise
      return { stored: true }
    }
    home.flows(flow('nowhere.txt'))
    const id = await begin()
    await expect
      .poll(() => notices)
      .toMatchObject([
        {
          kind: 'error',
          title: 'F_NEWS',
          key: `run/${id}`,
          message: expect.stringMatching(/^F_NEWS failed: the source could not be read/),
        },
      ])
    expect((await read(id)).status).toBe('running')
    onDisk.resolve()
    expect((await finish(id)).status).toBe('failed')
    await start()
    expect(notices).toHaveLength(1)
  })

  it('quick successful runs send no notice; a failed notice does not affect the run', async () => {
    const notices: unknown[] = []
    send = async (notice) => {
      notices.push(notice)
      return { stored: false, reason: 'no notifications module is running' }
    }
    home.flows(flow('in.txt'))
    home.write('USER/FLOWS/in.txt', 'hello')
    expect((await start()).status).toBe('completed')
    expect(notices).toEqual([])
    home.flows(flow('nowhere.txt'))
    expect((await start()).status).toBe('failed')
    expect(notices).toHaveLength(1)
  })

  it('lists items with their reason, and retries them', async () => {
    send = async () => ({ stored: true })
    home.write('USER/FLOWS/in.txt', 'hello')
    home.flows({ ...flow('in.txt'), destination: { type: 'file', path: '/nowhere/out.jsonl' } })
    expect((await start()).status).toBe('failed')
    const params = { flow: 'F_NEWS' }
    expect(await ask(API.listFlowItems, { params })).toMatchObject({
      items: [{ title: 'in', state: 'waiting', error: expect.stringContaining('/nowhere') }],
    })
    home.flows(flow('in.txt'))
    const retried = await finish(idIn(await ask(API.retryFlowItems, { params, body: {} })))
    expect(retried).toMatchObject({ status: 'completed', output: { items: { delivered: 1 } } })
    expect(await ask(API.listFlowItems, { params, query: { state: 'waiting' } })).toEqual({
      items: [],
    })
    await expect(ask(API.retryFlowItems, { params, body: {} })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

it('stops long runs after the drain time and reports that they can be resumed', async () => {
  const file = `${home.path}/USER/never`
  const quick = openModule((_delayMs, action) => setTimer(0, action))
  await quick.start?.()
  const start = quick.handlers.find(({ route }) => route === API.startRun)
  const body = { name: 'A_WAIT_FILE', input: { file } }
  const id = idIn(await start?.answer({ params: undefined, query: { wait: 0 }, body }, call()))
  await quick.stop?.()
  expect(lines.join()).toContain('steward runs resume')
  expect(await read(id)).toMatchObject({ status: 'interrupted' })
  home.write('USER/never', '')
  expect(idIn(await ask(API.resumeRun, { params: { id } }))).toBe(id)
  expect(await ended(id)).toMatchObject({ status: 'completed' })
})

describe('POST /api/runs/:id/cancel', () => {
  const cancel = (id: string) => ask(API.cancelRun, { params: { id } })
  const isAtWork = (argument: string) =>
    execFileSync('ps', ['-Ao', 'args'], { encoding: 'utf8' }).includes(argument)

  it('ends the run and its processes, records it, and allows continuing it', async () => {
    const seconds = `86400.${process.pid}`
    home.action(
      'A_SLEEP_LONG',
      `const { readFile, shell } = context.capabilities
       if (await readFile(input.file).then(() => true, () => false)) return { slept: true }
       await shell(['sleep', '${seconds}'])`,
      { requires: ['shell', 'readFile'], timeoutMs: 60_000 },
    )
    home.pipeline('P_SLEEP', ['A_SHOUT_TITLE', 'A_SLEEP_LONG'])
    const input = { title: 'hi', file: `${home.path}/USER/go` }
    const id = idIn(await ask(API.startRun, { body: { name: 'P_SLEEP', input } }))
    await expect.poll(() => isAtWork(seconds), { timeout: 20_000 }).toBe(true)
    expect(await cancel(id.slice(0, 30))).toEqual({ id, status: 'cancelled' })
    await expect.poll(() => isAtWork(seconds), { timeout: 20_000 }).toBe(false)
    expect(await read(id)).toMatchObject({
      status: 'cancelled',
      endedAt: expect.any(String),
      error: { code: 'run_cancelled' },
      steps: [{ status: 'completed' }, { status: 'cancelled' }],
    })
    const listed = async (status: string) =>
      z
        .object({ runs: z.array(runRecord) })
        .parse(await ask(API.listRuns, { query: { status } }))
        .runs.map((run) => run.id)
    expect(await listed('cancelled')).toEqual([id])
    expect(await listed('failed')).toEqual([])
    expect(await cancel(id)).toEqual({ id, status: 'cancelled' })
    home.write('USER/go', '')
    expect(idIn(await ask(API.resumeRun, { params: { id } }))).toBe(id)
    expect(await ended(id)).toMatchObject({ status: 'completed', output: { slept: true } })
    expect(await cancel(id)).toEqual({ id, status: 'completed' })
  })

  it('ends a flow with the runs of its items; an item is asked for again by the next run', async () => {
    home.pipeline('P_WAIT', ['A_WAIT_FILE'])
    home.flows({
      id: 'news',
      name: 'F_NEWS',
      source: { type: 'file', path: 'in.json' },
      pipeline: 'P_WAIT',
      destination: { type: 'file', path: 'out.jsonl' },
      schedule: { intervalMinutes: 60, enabled: true },
    })
    home.write('USER/FLOWS/in.json', JSON.stringify([{ id: '1', file: `${home.path}/USER/go` }]))
    const begin = async () => idIn(await ask(API.startRun, { body: { name: 'F_NEWS' } }))
    const id = await begin()
    await expect.poll(async () => (await read(id)).children.length).toBe(1)
    const [child] = (await read(id)).children
    await expect(cancel(String(child?.id))).rejects.toThrow(`it is part of run ${id}`)
    expect(await cancel(id)).toEqual({ id, status: 'cancelled' })
    expect(await read(id)).toMatchObject({
      status: 'cancelled',
      children: [{ status: 'cancelled' }],
      steps: [{ status: 'completed' }, { status: 'cancelled' }],
    })
    home.write('USER/go', '')
    expect(await ended(await begin())).toMatchObject({ output: { items: { delivered: 1 } } })
  })

  it('abandons an interrupted run, and leaves runs of other processes alone', async () => {
    const other = await openLocalRuntime({
      env: { STEWARD_HOME: home.path, LLM_PROVIDER: 'offline' },
      homedir: home.path,
      builtIn: `${home.path}/none`,
    })
    const stopping = new AbortController()
    const known = Promise.withResolvers<string>()
    const running = other.runner.run(
      'A_WAIT_FILE',
      { file: `${home.path}/never` },
      { signal: stopping.signal, onProgress: ({ runId }) => known.resolve(runId) },
    )
    const id = await known.promise
    await expect(cancel(id)).rejects.toMatchObject({ code: 'run_active' })
    stopping.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    await other.close()
    expect(await read(id)).toMatchObject({ status: 'interrupted' })
    expect(await cancel(id)).toEqual({ id, status: 'cancelled' })
  })
})

it('uses new settings for new runs and lets the old ones end', async () => {
  const file = `${home.path}/USER/go`
  const id = idIn(await ask(API.startRun, { body: { name: 'A_WAIT_FILE', input: { file } } }))
  const before = await openLocalRuntime({
    env: { STEWARD_HOME: home.path },
    homedir: home.path,
    builtIn: `${home.path}/none`,
  })
  bus.publish('settings.changed', { settings: before.settings })
  await before.close()
  home.write('USER/go', '')
  expect(await ended(id)).toMatchObject({ status: 'completed' })
})

it('lists everything that can be run with its inputs, without paths', async () => {
  const catalog = await ask(API.listPrimitives)
  expect(catalog).toMatchObject({
    actions: [{ name: 'A_ADD_BODY' }, { name: 'A_SHOUT_TITLE' }, { name: 'A_WAIT_FILE' }],
    pipelines: [{ name: 'P_SHOUT', actions: ['A_SHOUT_TITLE', 'A_ADD_BODY'] }],
  })
  expect(JSON.stringify(catalog)).not.toContain(home.path)
})

it('notifies pages when any process changed the history, and only then', async () => {
  const told: unknown[] = []
  bus.subscribe('live.changed', ({ topics }) => told.push(topics))
  onFolderChange()
  expect(told).toEqual([])
  const other = await openLocalRuntime({
    env: { STEWARD_HOME: home.path, LLM_PROVIDER: 'offline' },
    homedir: home.path,
    builtIn: `${home.path}/none`,
  })
  await other.runner.run('P_SHOUT', { title: 'hi' })
  onFolderChange()
  expect(told).toEqual([['runs']])
  await other.close()
})

describe('queues and flows', () => {
  const taking = {
    id: 'take',
    name: 'F_QUEUE_TAKE',
    source: { type: 'queue', queue: 'things', maxRetries: 0 },
    pipeline: 'P_FAIL',
    destination: { type: 'file', path: 'out.jsonl' },
    schedule: { intervalMinutes: 60, enabled: true },
  }
  const sending = {
    id: 'send',
    name: 'F_FILE_SEND',
    source: { type: 'file', path: 'in.txt' },
    destination: { type: 'queue', queue: 'things' },
    schedule: { intervalMinutes: 60, enabled: true },
  }
  const runFlow = async (name: string) => {
    const run = await ended(idIn(await ask(API.startRun, { body: { name } })))
    await expect.poll(() => module.health().running).toBe(0)
    return run
  }

  it('shows waiting and dead messages, retries dead letters, and shows the state of flows', async () => {
    home.action('A_FAIL_ALWAYS', 'throw new Error("no")')
    home.pipeline('P_FAIL', ['A_FAIL_ALWAYS'])
    home.flows(taking, sending)
    home.write('USER/FLOWS/in.txt', 'hello')
    await runFlow('F_FILE_SEND')
    const ends = { queue: 'things', sentBy: ['F_FILE_SEND'], takenBy: ['F_QUEUE_TAKE'] }
    expect(await ask(API.listQueues)).toMatchObject({
      queues: [{ ...ends, ready: 1, dead: 0, messages: [{ body: { flow: 'F_FILE_SEND' } }] }],
    })
    await runFlow('F_QUEUE_TAKE')
    expect(await ask(API.listQueues)).toMatchObject({
      queues: [{ ...ends, ready: 0, dead: 1, deadLetterQueue: 'things-dead' }],
    })
    const params = { queue: 'things' }
    expect(await ask(API.retryDeadLetters, { params })).toEqual({ moved: 1 })
    expect(await ask(API.listQueues)).toMatchObject({ queues: [{ ready: 1, dead: 0 }] })
    const nobody = ask(API.retryDeadLetters, { params: { queue: 'others' } })
    await expect(nobody).rejects.toMatchObject({ code: 'not_found' })
    expect(await ask(API.getFlowStates)).toMatchObject({
      states: { send: { lastRun: { outcome: 'delivered' } }, take: { consecutiveFailures: 1 } },
      spend: [],
    })
    expect(await ask(API.listPrimitives)).toMatchObject({
      flows: [
        { name: 'F_FILE_SEND', source: { type: 'file', where: 'in.txt' } },
        { name: 'F_QUEUE_TAKE', destination: { type: 'file', where: 'out.jsonl' } },
      ],
    })
  })

  it('follows no feeds until there are some', async () => {
    expect(await ask(API.listFeeds)).toEqual({ feeds: [] })
    home.write('USER/FLOWS/feeds.json', '[{"url": "https://example.com/feed.xml"}]')
    expect(await ask(API.listFeeds)).toMatchObject({
      feeds: [{ url: 'https://example.com/feed.xml', health: 'unchecked', errorCount: 0 }],
    })
  })
})

it('repeats a run with the definition it was started with', async () => {
  const id = idIn(await ask(API.startRun, { body: { name: 'P_SHOUT', input: { title: 'hi' } } }))
  await ended(id)
  home.pipeline('P_SHOUT', ['A_SHOUT_TITLE'])
  const params = { id }
  const original = idIn(
    await ask(API.rerunRun, { params, body: { from: 2, definition: 'original' } }),
  )
  expect(await ended(original)).toMatchObject({ status: 'completed', stepCount: 2 })
  const current = ask(API.rerunRun, { params, body: { from: 2 } })
  await expect(current).rejects.toMatchObject({ code: 'run_not_resumable' })
})
