import { fork } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import { type ActionHosts, type ActionHostsOptions, createActionHosts } from './action-hosts.ts'
import { callAction } from './testing/call-action.ts'

let home: TemporaryHome
let opened: ActionHosts[]

const open = (options: ActionHostsOptions = {}): ActionHosts => {
  const hosts = createActionHosts(options)
  opened.push(hosts)
  return hosts
}

beforeEach(() => {
  home = createTemporaryHome()
  opened = []
  home.action('A_COUNT_CALLS', 'globalThis.calls = (globalThis.calls ?? 0) + 1; return { calls }')
  home.action('A_COUNT_OTHERS', 'globalThis.calls = (globalThis.calls ?? 0) + 1; return { calls }')
})

afterEach(async () => {
  await Promise.all(opened.map((hosts) => hosts.close()))
  home.remove()
})

const writeBrokenBubblewrap = (): string => {
  const file = home.write('bin/bwrap', '#!/bin/sh\necho no namespaces here >&2\nexit 1\n')
  chmodSync(file, 0o755)
  return file
}

/** The processes of hosts of this home's actions; their command lines name its folders. */
const processesOf = (path: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return /^\d+$/.test(pid) && line.includes(`--allow-fs-read=${path}`)
    } catch {
      return false
    }
  })

describe('hosts', () => {
  it('serve one call of one action after another, and never two actions', async () => {
    const hosts = open()
    expect(await callAction(hosts, home, 'A_COUNT_CALLS')).toEqual({ calls: 1 })
    expect(await callAction(hosts, home, 'A_COUNT_CALLS')).toEqual({ calls: 2 })
    expect(await callAction(hosts, home, 'A_COUNT_OTHERS')).toEqual({ calls: 1 })
  })

  it('load shared code from lib and packages from node_modules', async () => {
    home.write('USER/lib/double.ts', 'export const double = (n: number): number => n * 2')
    home.write('USER/node_modules/triple/package.json', '{"main":"index.js"}')
    home.write('USER/node_modules/triple/index.js', 'exports.triple = (n) => n * 3')
    home.write('USER/ACTIONS/A_USE_SHARED/own.json', '{"n": 7}')
    home.write(
      'USER/ACTIONS/A_USE_SHARED/action.ts',
      `import { double } from '../../lib/double.ts'
import { triple } from 'triple'
import own from './own.json' with { type: 'json' }
export const execute = () => ({ n: double(triple(own.n)) })`,
    )
    expect(await callAction(open(), home, 'A_USE_SHARED')).toEqual({ n: 42 })
  })

  it('are replaced when the code changes', async () => {
    const hosts = open()
    expect(await callAction(hosts, home, 'A_COUNT_CALLS')).toEqual({ calls: 1 })
    home.action(
      'A_COUNT_CALLS',
      'globalThis.calls = (globalThis.calls ?? 10) + 1; return { calls }',
    )
    expect(await callAction(hosts, home, 'A_COUNT_CALLS')).toEqual({ calls: 11 })
  })

  it('are replaced after so many calls', async () => {
    const hosts = open({ limits: { calls: 2 } })
    const answers = []
    for (let n = 0; n < 3; n++) answers.push(await callAction(hosts, home, 'A_COUNT_CALLS'))
    expect(answers).toEqual([{ calls: 1 }, { calls: 2 }, { calls: 1 }])
  })

  it('end when they were idle for long', async () => {
    const timers: Array<{ delayMs: number; onElapsed: () => void }> = []
    const hosts = open({
      startTimer: (delayMs, onElapsed) => {
        timers.push({ delayMs, onElapsed })
        return () => undefined
      },
      limits: { idleMs: 12_345 },
    })
    expect(await callAction(hosts, home, 'A_COUNT_CALLS')).toEqual({ calls: 1 })
    for (const { delayMs, onElapsed } of timers) if (delayMs === 12_345) onElapsed()
    expect(await callAction(hosts, home, 'A_COUNT_CALLS')).toEqual({ calls: 1 })
  })

  it('work side by side, so that a call does not wait for another one that takes long', async () => {
    const hosts = open()
    home.action('A_WAIT_FOR_BOTH', "return { both: await context.capabilities.readFile('x') }", {
      requires: ['readFile'],
    })
    const bothThere = Promise.withResolvers<string>()
    let calls = 0
    const readFile = () => {
      calls += 1
      if (calls === 2) bothThere.resolve('yes')
      return bothThere.promise
    }
    const call = () => callAction(hosts, home, 'A_WAIT_FOR_BOTH', { capabilities: { readFile } })
    expect(await Promise.all([call(), call()])).toEqual([{ both: 'yes' }, { both: 'yes' }])
  })

  it('make room for another action when there are too many, and calls wait for their turn', async () => {
    const hosts = open({ limits: { hosts: 1 } })
    const names = ['A_COUNT_CALLS', 'A_COUNT_OTHERS', 'A_COUNT_CALLS', 'A_COUNT_OTHERS']
    const answers = await Promise.all(names.map((name) => callAction(hosts, home, name)))
    expect(answers).toHaveLength(4)
    expect(processesOf(join(home.path, 'USER')).length).toBeGreaterThan(0)
  })

  it('end with the call that is aborted, and the next call gets another one', async () => {
    const hosts = open()
    home.action('A_LOOP_ON', "context.log('begun'); if (input.loop) while (true) {}; return {}")
    const stop = new AbortController()
    const looping = callAction(hosts, home, 'A_LOOP_ON', {
      input: { loop: true },
      signal: stop.signal,
      log: () => stop.abort(new Error('no longer wanted')),
    })
    await expect(looping).rejects.toThrow('no longer wanted')
    expect(await callAction(hosts, home, 'A_LOOP_ON')).toEqual({})
  })

  it('end with the pool', async () => {
    const hosts = open()
    await callAction(hosts, home, 'A_COUNT_CALLS')
    expect(processesOf(join(home.path, 'USER'))).not.toEqual([])
    await hosts.close()
    expect(processesOf(join(home.path, 'USER'))).toEqual([])
    await expect(callAction(hosts, home, 'A_COUNT_CALLS')).rejects.toThrow('closed')
  })

  it.each([
    ['in bubblewrap', () => '/usr/bin'],
    ['without it', () => dirname(writeBrokenBubblewrap())],
  ])('end when the runner is killed, busy or not, %s', async (_, bin) => {
    home.action('A_LOOP_ON', "context.log('begun'); while (true) {}")
    home.action('A_WAIT_ON', "context.log('begun'); await new Promise(() => {})")
    const program = join(import.meta.dirname, 'testing/host-child.ts')
    const runner = fork(program, [home.path, bin(), 'A_LOOP_ON', 'A_WAIT_ON'], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    // Both lines may arrive together, and an iterator loses neither.
    const lines = createInterface({ input: runner.stdout ?? process.stdin })[Symbol.asyncIterator]()
    await lines.next()
    await lines.next()
    const hosts = processesOf(join(home.path, 'USER'))
    expect(hosts.length).toBeGreaterThanOrEqual(2)
    runner.kill('SIGKILL')
    await vi.waitFor(() => expect(processesOf(join(home.path, 'USER'))).toEqual([]), 10_000)
  })
})

describe('what an action prints and logs', () => {
  it('goes to the run with its level, each message whole', async () => {
    home.action(
      'A_SAY_MUCH',
      `console.log('one\\ntwo', 3); console.error('four'); process.stdout.write('five'); context.log('six')
      console.debug('seven'); console.warn('eight'); console.info('nine'); process.stderr.write('ten\\n')
      context.log('eleven', 'error'); context.log('twelve', 'no level'); console.table([{ a: 1 }]); return {}`,
    )
    const lines: unknown[] = []
    await callAction(open(), home, 'A_SAY_MUCH', { log: (...line) => lines.push(line) })
    expect(lines.slice(0, 10)).toEqual([
      ['one\ntwo 3', 'info'],
      ['four', 'error'],
      ['five', 'info'],
      ['six', 'info'],
      ['seven', 'debug'],
      ['eight', 'warn'],
      ['nine', 'info'],
      ['ten', 'warn'],
      ['eleven', 'error'],
      ['twelve', 'info'],
    ])
    expect(lines.slice(10)).toEqual([[expect.stringMatching(/│ 0 .*│ 1 │/), 'info']])
  })

  it('does not count as output of the next call', async () => {
    home.action(
      'A_SAY_LATER',
      'setTimeout(() => context.log(input.n)); if (input.n === 2) await new Promise((done) => setTimeout(done, 20)); return {}',
    )
    const hosts = open()
    const lines: string[] = []
    const log = (line: string) => lines.push(line)
    await callAction(hosts, home, 'A_SAY_LATER', { input: { n: 1 }, log })
    await callAction(hosts, home, 'A_SAY_LATER', { input: { n: 2 }, log })
    expect(lines.filter((line) => line === '1').length).toBeLessThanOrEqual(1)
    expect(lines.at(-1)).toBe('2')
  })
})

describe('capabilities', () => {
  it('carry requests and responses whole', async () => {
    home.action(
      'A_POST_FORM',
      `const form = new FormData(); form.set('file', new Blob([new Uint8Array([0, 255])]), 'a.bin')
      const response = await context.capabilities.fetch('https://example.org/in?x=1', { method: 'POST', body: form, headers: { 'x-own': 'yes' } })
      const bytes = new Uint8Array(await response.arrayBuffer())
      return { status: response.status, ok: response.ok, url: response.url, type: response.headers.get('content-type'), size: bytes.length, last: bytes.at(-1), empty: (await context.capabilities.fetch('https://example.org/none')).body }`,
      { requires: ['fetch'] },
    )
    const seen: unknown[] = []
    const fetch = async (input: string | URL, init: RequestInit = {}) => {
      if (String(input).endsWith('/none')) return new Response(null, { status: 204 })
      const form = await new Response(init.body ?? null, { headers: init.headers ?? {} }).formData()
      const file = form.get('file')
      const bytes = file instanceof File ? [...new Uint8Array(await file.arrayBuffer())] : []
      seen.push(String(input), init.method, new Headers(init.headers).get('x-own'), bytes)
      const big = new Uint8Array(300_000).fill(7)
      const response = new Response(big, { status: 201, headers: { 'content-type': 'x/y' } })
      Object.defineProperty(response, 'url', { value: 'https://example.org/final' })
      return response
    }
    const output = await callAction(open(), home, 'A_POST_FORM', { capabilities: { fetch } })
    expect(seen).toEqual(['https://example.org/in?x=1', 'POST', 'yes', [0, 255]])
    expect(output).toEqual({
      status: 201,
      ok: true,
      url: 'https://example.org/final',
      type: 'x/y',
      size: 300_000,
      last: 7,
      empty: null,
    })
  })

  it('stop reading a page that the action does not want', async () => {
    home.action(
      'A_READ_START',
      `const response = await context.capabilities.fetch('https://example.org/')
      const reader = response.body.getReader(); await reader.read(); await reader.cancel(); return {}`,
      { requires: ['fetch'] },
    )
    const cancelled = Promise.withResolvers<string>()
    const endless = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1000)),
        cancel: () => cancelled.resolve('cancelled'),
      })
    const fetch = async () => new Response(endless())
    expect(await callAction(open(), home, 'A_READ_START', { capabilities: { fetch } })).toEqual({})
    expect(await cancelled.promise).toBe('cancelled')
  })

  it('abort a request with its signal', async () => {
    home.action(
      'A_GIVE_UP',
      `const stop = new AbortController(); setTimeout(() => stop.abort(new Error('enough')), 10)
      try { await context.capabilities.fetch('https://example.org/', { signal: stop.signal }); return {} } catch (error) { return { said: error.message } }`,
      { requires: ['fetch'] },
    )
    const aborted = Promise.withResolvers<string>()
    const fetch = (_: unknown, init: RequestInit = {}) =>
      new Promise<Response>(() => {
        init.signal?.addEventListener('abort', () => aborted.resolve('aborted'))
      })
    const output = await callAction(open(), home, 'A_GIVE_UP', { capabilities: { fetch } })
    expect(output).toEqual({ said: 'enough' })
    expect(await aborted.promise).toBe('aborted')
  })

  it('pass files to commands as bytes, and check what they are given', async () => {
    home.action(
      'A_RUN_IT',
      `const refusals = []
      for (const call of [() => context.capabilities.shell('ls -la'), () => context.capabilities.llm(7), () => context.capabilities.readFile({})]) {
        try { await call() } catch (error) { refusals.push(error.code + ' ' + (error.name === 'StewardError')) }
      }
      return { out: await context.capabilities.shell(['cat'], { files: { a: new Uint8Array([1, 254]) } }), refusals }`,
      { requires: ['shell', 'llm', 'readFile'] },
    )
    const capabilities = {
      shell: async (argv: readonly string[], options: object = {}) => ({
        stdout: `${argv.join(' ')} ${JSON.stringify(options)}`,
        stderr: '',
        code: 0,
        isolation: 'none' as const,
        truncated: false,
        files: {},
      }),
      llm: () => Promise.reject(new Error('not reached')),
      readFile: () => Promise.reject(new Error('not reached')),
    }
    const bytes = JSON.stringify({ files: { a: Buffer.from([1, 254]) } })
    expect(await callAction(open(), home, 'A_RUN_IT', { capabilities })).toMatchObject({
      out: { stdout: `cat ${bytes}` },
      refusals: Array(3).fill('invalid_input true'),
    })
  })
})

it('without a bubblewrap that works, the permission model alone separates actions, and says so', async () => {
  const broken = writeBrokenBubblewrap()
  const hosts = open({ path: dirname(broken) })
  home.action(
    'A_LOOK_AROUND',
    "const { readFileSync } = await import('node:fs'); try { readFileSync(input.file) } catch (error) { return { refused: error.code, env: Object.keys(process.env) } }",
  )
  const seen: string[] = []
  const output = await callAction(hosts, home, 'A_LOOK_AROUND', {
    input: { file: broken },
    onStart: (isolation) => seen.push(isolation),
  })
  expect(output).toEqual({ refused: 'ERR_ACCESS_DENIED', env: [] })
  expect(seen).toEqual(['permission-model'])
})
