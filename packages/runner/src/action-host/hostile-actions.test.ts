import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import type { LocalRuntime } from '../local-runtime.ts'
import { openLocalRuntime } from '../open-local-runtime.ts'

const LIMIT = { timeoutMs: 4000 }
/** Long enough that a good action ends before, also on a busy machine. */
const server = createServer((_, response) => response.end('inside'))
let home: TemporaryHome
let other: TemporaryHome
let steward: LocalRuntime
let address: string

const attempt = (code: string): string =>
  `try { return { reached: String(${code}) } } catch (error) { return { refused: error.code ?? error.message } }`

beforeAll(async () => {
  home = createTemporaryHome()
  other = createTemporaryHome()
  other.write('secret.txt', 'of another home')
  home.write('.env', 'LLM_API_KEY=sk-hidden-value')
  home.write('token', 'the-token')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${Object(server.address()).port}/`
  home.action('A_DO_GOOD', "console.log('on my way'); return { good: input.n * 2 }")
  steward = await openLocalRuntime({
    env: { STEWARD_HOME: home.path, SOME_TOKEN: 'in-the-environment', PATH: process.env.PATH },
    homedir: home.path,
    builtIn: join(home.path, 'library'),
  })
})

afterAll(async () => {
  await steward.close()
  server.close()
  home.remove()
  other.remove()
})

const run = async (name: string, input = {}) => {
  const { runId, result } = await steward.runner.run(name, input)
  return { result, step: steward.history.get(runId)?.steps[0] }
}

const outputOf = async (name: string) => {
  const { result } = await run(name)
  if ('error' in result) throw result.error
  return result.output
}

/** The action fails in its own way while a good one, started after it, ends well. */
const expectFailure = async (name: string, code: string, message: RegExp) => {
  const failing = run(name)
  expect(await run('A_DO_GOOD', { n: 4 })).toMatchObject({ result: { output: { good: 8 } } })
  const { result, step } = await failing
  expect(result).toMatchObject({ stage: name, error: { code } })
  expect(step).toMatchObject({
    status: 'failed',
    isolation: 'bubblewrap',
    error: { code, message: expect.stringMatching(message) },
  })
  return step
}

describe('only the step fails when an action', () => {
  it.each<[string, string, string, RegExp]>([
    ['loops for ever', 'while (true) {}', 'timeout', /took longer than 4000 ms/],
    [
      'loops in a microtask',
      'const again = () => Promise.resolve().then(again); return again()',
      'timeout',
      /took longer than 4000 ms/,
    ],
    ['exits', 'process.exit(0)', 'action_crashed', /it exited with code 0/],
    [
      'leaves a rejection unhandled',
      "Promise.reject(new Error('floating')); await new Promise(() => {})",
      'action_crashed',
      /unhandled rejection: floating/,
    ],
    [
      'throws in a timer',
      "setTimeout(() => { throw new Error('too late') }); await new Promise(() => {})",
      'action_crashed',
      /uncaught exception: too late/,
    ],
    [
      'fills its heap',
      'const kept = []; while (true) kept.push(new Array(1e6).fill(kept.length))',
      'action_memory',
      /needs more memory than its limit of 536870912 bytes/,
    ],
    [
      'fills its buffers',
      'const kept = []; while (true) kept.push(Buffer.alloc(1e8, 1))',
      'action_failed',
      /allocat/i,
    ],
    [
      'returns 100 MB',
      "return { text: 'x'.repeat(1e8) }",
      'payload_too_large',
      /the output of A_TRY_IT is 1000000\d\d bytes; the limit is 10485760/,
    ],
    ['returns a cycle', 'const a = {}; a.a = a; return a', 'invalid_output', /as JSON/],
    [
      'writes between the frames',
      "require('node:fs').writeSync(1, 'x'.repeat(100)); await new Promise(() => {})",
      'action_crashed',
      /wrote to the channel/,
    ],
    ['aborts', 'process.abort()', 'action_crashed', /its process ended with code 13\d/],
    ['prints for ever', "while (true) console.log('again')", 'timeout', /took longer than 4000 ms/],
    [
      'floods the channel',
      "const json = JSON.stringify({ type: 'log', call: 1, level: 'info', text: 'x'.repeat(1e6) }); const frame = Buffer.alloc(4 + json.length); frame.writeUInt32BE(json.length); frame.write(json, 4); for (let n = 0; n < 100; n++) process.stdout.constructor.prototype.write.call(process.stdout, frame); await new Promise(() => {})",
      'payload_too_large',
      /the text that A_TRY_IT logs and prints/,
    ],
  ])('%s', async (_, code, errorCode, message) => {
    const needsRequire = code.includes('require(')
    home.action('A_TRY_IT', code, { timeoutMs: needsRequire ? 60_000 : timeoutFor(errorCode) })
    if (needsRequire) {
      home.write(
        'USER/ACTIONS/A_TRY_IT/action.ts',
        `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\nexport const execute = async () => {\n${code}\n}`,
      )
    }
    await expectFailure('A_TRY_IT', errorCode, message)
  })

  it('hangs while it is loaded', async () => {
    home.action('A_TRY_IT', 'return {}', LIMIT)
    home.write(
      'USER/ACTIONS/A_TRY_IT/action.ts',
      'await new Promise(() => {})\nexport const execute = () => ({})',
    )
    await expectFailure('A_TRY_IT', 'timeout', /took longer than 4000 ms/)
  })

  it('does not parse, and names the line', async () => {
    home.action('A_TRY_IT', 'return {}')
    home.write('USER/ACTIONS/A_TRY_IT/action.ts', 'const fine = 1\nexport const = 2\n')
    await expectFailure(
      'A_TRY_IT',
      'invalid_definition',
      /action\.ts: cannot be loaded: line 2: Unex/,
    )
    home.write('USER/ACTIONS/A_TRY_IT/action.mjs', 'const fine = 1\nexport const = 2\n')
    rmSync(join(home.path, 'USER/ACTIONS/A_TRY_IT/action.ts'))
    await expectFailure('A_TRY_IT', 'invalid_definition', /mjs: cannot be loaded: line 2: Unex/)
    rmSync(join(home.path, 'USER/ACTIONS/A_TRY_IT/action.mjs'))
    home.write('USER/ACTIONS/A_TRY_IT/action.ts', 'export const run = () => ({})')
    await expectFailure('A_TRY_IT', 'invalid_definition', /it has no execute/)
  })

  it('throws, and the record has the line of its code', async () => {
    home.action('A_TRY_IT', "\n\nthrow new TypeError('no such thing')")
    const step = await expectFailure('A_TRY_IT', 'action_failed', /no such thing/)
    expect(step?.error?.stack).toBe('TypeError: no such thing\n    at execute (action.ts:4:7)')
  })
})

const timeoutFor = (code: string): number => (code === 'timeout' ? LIMIT.timeoutMs : 60_000)

describe('an action cannot reach', () => {
  it.each<[string, () => string, string]>([
    ['the token', () => `readFileSync('${home.path}/token')`, 'ERR_ACCESS_DENIED'],
    ['.env', () => `readFileSync('${home.path}/.env')`, 'ERR_ACCESS_DENIED'],
    ['the databases', () => `readFileSync('${home.path}/state/runs.sqlite')`, 'ERR_ACCESS_DENIED'],
    ['another home', () => `readFileSync('${other.path}/secret.txt')`, 'ERR_ACCESS_DENIED'],
    [
      'another action',
      () => `readFileSync('${home.path}/USER/ACTIONS/A_DO_GOOD/action.ts')`,
      'ERR_ACCESS_DENIED',
    ],
    [
      'its own files for writing',
      () => `writeFileSync(import.meta.filename, '')`,
      'ERR_ACCESS_DENIED',
    ],
    ['programs', () => "execFileSync('id')", 'ERR_ACCESS_DENIED'],
    ['other processes', () => 'process.kill(process.ppid)', 'actions cannot send signals'],
    [
      'the network of this machine',
      () =>
        `await new Promise((resolve, reject) => connect(${new URL(address).port}, '127.0.0.1', resolve).on('error', reject))`,
      'ECONNREFUSED',
    ],
    ['the global fetch', () => `await fetch('${address}')`, 'capability_missing'],
  ])('%s', async (_, code, refused) => {
    home.action('A_TRY_IT', attempt(code()))
    home.write(
      'USER/ACTIONS/A_TRY_IT/action.ts',
      `import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
export const execute = async () => { ${attempt(code())} }`,
    )
    expect(await outputOf('A_TRY_IT')).toEqual({ refused })
  })

  it('the environment', async () => {
    home.action('A_TRY_IT', 'return { names: Object.keys(process.env), cwd: process.cwd() }')
    expect(await outputOf('A_TRY_IT')).toEqual({ names: [], cwd: '/' })
  })

  it('a capability that it does not declare, or the guard of one that it does', async () => {
    home.action('A_TRY_IT', 'return { names: Object.keys(context.capabilities) }')
    expect(await outputOf('A_TRY_IT')).toEqual({ names: [] })
    home.action('A_TRY_IT', attempt(`await context.capabilities.fetch('${address}')`), {
      requires: ['fetch'],
    })
    expect(await outputOf('A_TRY_IT')).toEqual({ refused: 'address_refused' })
    home.action('A_TRY_IT', attempt(`await fetch(new Request('${address}'))`), {
      requires: ['fetch'],
    })
    expect(await outputOf('A_TRY_IT')).toEqual({ refused: 'address_refused' })
  })

  it('more than its subrequests', async () => {
    home.action(
      'A_TRY_IT',
      `const codes = await Promise.all(Array.from({ length: 1001 }, () =>
        context.capabilities.fetch('http://127.0.0.1:1/').then(() => 'ok', ({ code }) => code)))
      return { limited: codes.filter((code) => code === 'subrequest_limit').length }`,
      { requires: ['fetch'] },
    )
    expect(await outputOf('A_TRY_IT')).toMatchObject({ limited: 1 })
  })
})

it('what crosses between steps is what JSON keeps, as on the edge', async () => {
  home.action(
    'A_RETURN_ALL',
    'return { none: undefined, nan: NaN, at: new Date(0), zero: -0, big: 2 ** 53 + 2, map: new Map([[1, 2]]), list: [undefined, () => 1] }',
  )
  home.action(
    'A_LOOK_AT',
    'return { seen: JSON.stringify(input), types: Object.values(input).map((value) => Object.prototype.toString.call(value)), minus: Object.is(input.zero, -0) }',
  )
  home.pipeline('P_LOOK', ['A_RETURN_ALL', 'A_LOOK_AT'])
  const kept = {
    nan: null,
    at: '1970-01-01T00:00:00.000Z',
    zero: 0,
    big: 9007199254740994,
    map: {},
    list: [null, null],
  }
  expect(await outputOf('P_LOOK')).toEqual({
    ...kept,
    seen: JSON.stringify(kept),
    types: ['Null', 'String', 'Number', 'Number', 'Object', 'Array'].map(
      (type) => `[object ${type}]`,
    ),
    minus: false,
  })
})
