import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type BuiltEdge,
  LOAD_MS,
  type OwnAction,
  startBuiltEdge,
} from './testing/start-built-edge.ts'
import { START_LIMIT_MS } from './testing/start-workers.ts'

const server = createServer((_, response) => response.end('inside'))
let edge: BuiltEdge | undefined

const post = (name: string, input?: object) =>
  edge?.post(name, input) ?? Promise.reject(new Error('the edge is not running'))

const body = (code: string, manifest = {}): OwnAction => ({
  module: `export const execute = async (input, context) => { ${code} }`,
  manifest,
})
const attempt = (code: string, manifest = {}): OwnAction =>
  body(
    `try { return { reached: String(${code}) } } catch (error) { return { refused: error.code ?? error.message } }`,
    manifest,
  )
/** Longer than a good action takes to start on a busy machine. */
const LIMIT = { timeoutMs: 4000 }

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = String(Object(server.address()).port)
  const inside = `http://127.0.0.1:${port}/`
  const actions: Record<string, OwnAction> = {
    A_DO_GOOD: body('return { good: input.n * 2 }'),
    A_LOOP_ON: body('while (true) {}', LIMIT),
    A_LOOP_LOADING: {
      module: 'while (true) {}\nexport const execute = () => ({})',
      manifest: LIMIT,
    },
    A_EXIT_NOW: body('process.exit(0)', LIMIT),
    A_REJECT_LATER: body("Promise.reject(new Error('floating')); return { ended: true }", LIMIT),
    A_WAIT_ON: body('await new Promise(() => {})', LIMIT),
    A_FILL_MEMORY: body('const kept = []; while (true) kept.push(new Uint8Array(1e8).fill(1))', {
      timeoutMs: 20_000,
    }),
    A_RETURN_MUCH: body("return { text: 'x'.repeat(1e8) }"),
    A_SHOW_ENV: {
      module: `import * as workers from 'cloudflare:workers'
export const execute = async () => {
  const name = 'cloudflare:workers'
  const { env } = await import(name)
  return { names: Object.keys(process.env), imported: Object.keys(env ?? {}), said: JSON.stringify([process.env, env]) }
}`,
      manifest: { secrets: ['MY_API_KEY'] },
    },
    A_READ_TOKEN: attempt("(await import('node:fs')).readFileSync(input.file)"),
    A_START_PROGRAM: attempt("(await import('node:child_process')).execFileSync('id')"),
    A_FETCH_INSIDE: attempt(`await fetch('${inside}').then((r) => r.text())`),
    A_FETCH_GUARDED: attempt(`await fetch(new Request('${inside}')).then((r) => r.text())`, {
      requires: ['fetch'],
    }),
    A_KEEP_FETCH: {
      module: `const kept = fetch\nexport const execute = async () => { try { return { reached: await (await kept('${inside}')).text() } } catch (error) { return { refused: error.code } } }`,
    },
    A_OPEN_SOCKET: attempt(
      `await (async () => { const { connect } = await import('cloudflare:' + input.module); const socket = connect('127.0.0.1:${port}'); await socket.opened; return 'opened' })()`,
      { requires: ['fetch'] },
    ),
    A_USE_HTTP: {
      module: `import { get } from 'node:http'\nexport const execute = async () => { try { get('${inside}'); return { reached: true } } catch (error) { return { refused: error.message } } }`,
    },
    A_FETCH_OFTEN: body(
      `const codes = await Promise.all(Array.from({ length: 1001 }, () => fetch('http://127.0.0.1:1/').then(() => 'ok', ({ code }) => code)))
      return { limited: codes.filter((code) => code === 'subrequest_limit').length }`,
      { requires: ['fetch'] },
    ),
  }
  edge = await startBuiltEdge(actions, { P_DO_GOOD: ['A_DO_GOOD'] }, { MY_API_KEY: 'hidden-value' })
}, START_LIMIT_MS)

afterAll(async () => {
  await edge?.stop()
  server.close()
})

describe('on the local edge', () => {
  it.each<[string, string, number, RegExp]>([
    ['loops', 'A_LOOP_ON', 504, /A_LOOP_ON took longer than 4000 ms/],
    ['waits for ever', 'A_WAIT_ON', 504, /A_WAIT_ON took longer than 4000 ms/],
    ['exits', 'A_EXIT_NOW', 500, /A_EXIT_NOW.*it called process.exit/],
    ['fills its memory', 'A_FILL_MEMORY', 500, /allocation failed/i],
    ['returns 100 MB', 'A_RETURN_MUCH', 413, /the output of A_RETURN_MUCH is \d+ bytes/],
  ])(
    'an action that %s fails alone, and others answer meanwhile',
    async (_, name, status, message) => {
      let isOver = false
      const failing = post(name).finally(() => {
        isOver = true
      })
      const good = await post('P_DO_GOOD', { n: 4 })
      expect(good).toMatchObject({ status: 200, body: { output: { good: 8 } } })
      if (name === 'A_LOOP_ON') expect(isOver).toBe(false)
      expect(await failing).toMatchObject({
        status,
        body: { success: false, error: expect.stringMatching(message) },
      })
    },
    60_000,
  )

  it('a floating rejection does not end the worker', async () => {
    expect(await post('A_REJECT_LATER')).toMatchObject({ body: { output: { ended: true } } })
    expect(await post('A_REJECT_LATER')).toMatchObject({ body: { output: { ended: true } } })
  })

  it('a module that loops while it is loaded fails alone', async () => {
    const failing = post('A_LOOP_LOADING')
    expect(await post('A_DO_GOOD', { n: 1 })).toMatchObject({ status: 200 })
    expect(await failing).toMatchObject({
      status: 500,
      body: { error: expect.stringContaining(`did not end within ${LOAD_MS} ms`) },
    })
  }, 60_000)

  it('secrets are neither in the environment nor importable', async () => {
    expect(await post('A_SHOW_ENV')).toMatchObject({
      body: { output: { imported: [], said: expect.not.stringContaining('hidden-value') } },
    })
  })

  it.each<[string, string, object, string | RegExp]>([
    ['files', 'A_READ_TOKEN', { file: '/etc/passwd' }, 'ENOENT'],
    ['programs', 'A_START_PROGRAM', {}, /not implemented|ERR_METHOD_NOT_IMPLEMENTED/],
    ['the network without fetch in requires', 'A_FETCH_INSIDE', {}, 'capability_missing'],
    ['loopback through the global fetch', 'A_FETCH_GUARDED', {}, 'address_refused'],
    ['a fetch that it kept while loading', 'A_KEEP_FETCH', {}, 'capability_missing'],
    ['loopback through a socket', 'A_OPEN_SOCKET', { module: 'sockets' }, /./],
    ['the modules of the network', 'A_USE_HTTP', {}, /an action cannot use node:http/],
  ])('an action cannot reach %s', async (_, name, input, refused) => {
    const { body: answer } = await post(name, input)
    expect(answer).toMatchObject({
      output: { refused: refused instanceof RegExp ? expect.stringMatching(refused) : refused },
    })
  })

  it('the global fetch counts against the budget of subrequests', async () => {
    expect(await post('A_FETCH_OFTEN')).toMatchObject({ body: { output: { limited: 1 } } })
  })
})
