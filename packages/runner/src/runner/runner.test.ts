import { join } from 'node:path'
import {
  type JsonObject,
  LIMITS,
  type LlmAnswer,
  type Settings,
  StewardError,
} from '@steward/contract'
import type { ModelClient } from '@steward/models'
import { createRedactor } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findLeaks, SINK_CASES } from '../../../platform/src/redaction/testing/secret-forms.ts'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import { type ActionHosts, createActionHosts } from '../action-host/index.ts'
import { catalogRoots, createCatalog } from '../catalog/index.ts'
import { openHistory, type StoredHistory } from '../history/index.ts'
import type { RunnerPorts } from './ports.ts'
import type { Progress } from './progress.ts'
import { createRunner, type Runner } from './runner.ts'

let home: TemporaryHome
let history: StoredHistory
let hosts: ActionHosts
let prompts: string[]
/** The idempotency key of each prompt. */
let keys: string[]
let onPrompt: (prompt: string) => void
let budgets: Settings['execution']['budgets']
let clock: number

/** Every call costs one cent and returns its own prompt. */
const model: ModelClient = {
  provider: 'anthropic',
  estimate: () => ({ model: 'test-model', maxCost: 0.01 }),
  call: async (prompt, { idempotencyKey } = {}): Promise<LlmAnswer> => {
    prompts.push(prompt)
    keys.push(String(idempotencyKey))
    onPrompt(prompt)
    if (prompt === 'refuse') {
      throw new StewardError('model_refused', {
        model: 'test-model',
        reason: 'no',
        usage: { input: 10, output: 0 },
        cost: 0.01,
      })
    }
    return {
      text: `answer to ${prompt}`,
      usage: { input: 10, output: 5 },
      cost: 0.01,
      model: 'test-model',
      provider: 'anthropic',
    }
  },
}

const openRunner = (ports: Partial<RunnerPorts> = {}): Runner =>
  createRunner({
    catalog: createCatalog(catalogRoots(join(home.path, 'USER'), join(home.path, 'library'))),
    history,
    hosts,
    now: () => clock++,
    model: async () => model,
    fetch: async () => new Response('fetched'),
    readFile: async () => 'file',
    path: '',
    shell:
      ({ network }) =>
      async (argv) => ({
        stdout: `${argv.join(' ')} network:${network}`,
        stderr: '',
        code: 0,
        isolation: 'bubblewrap',
        truncated: false,
        files: {},
      }),
    secret: (name) => (name === 'MY_KEY' ? 'the-secret-value' : undefined),
    budgets: () => budgets,
    ...ports,
  })

const open = () =>
  openHistory({
    directory: join(home.path, 'state'),
    redactor: createRedactor({ MY_KEY: 'the-secret-value' }),
  })

beforeEach(() => {
  home = createTemporaryHome()
  history = open()
  hosts = createActionHosts()
  prompts = []
  keys = []
  onPrompt = () => undefined
  budgets = {}
  clock = 1_000_000
  home.action('A_ADD_ONE', 'return { one: 1 }', { output: { one: { type: 'integer' } } })
  home.action(
    'A_ASK_TWICE',
    "const a = await context.capabilities.llm('first'); const b = await context.capabilities.llm('second'); return { asked: a.text + b.text }",
    { requires: ['llm'] },
  )
  home.action('A_COUNT_FIELDS', 'return { fields: Object.keys(input).toSorted() }')
  home.pipeline('P_THREE_STEPS', ['A_ADD_ONE', 'A_ASK_TWICE', 'A_COUNT_FIELDS'])
})

afterEach(async () => {
  vi.useRealTimers()
  await hosts.close()
  await history.close()
  home.remove()
})

const outputOf = async (running: ReturnType<Runner['run']>): Promise<JsonObject> => {
  const { result } = await running
  if ('error' in result) throw result.error
  return result.output
}

describe('a run', () => {
  it('passes every field of every step to the last one, and records all of it', async () => {
    const { runId, result } = await openRunner().run('P_THREE_STEPS', { content: 'text' })
    expect(result).toEqual({
      output: {
        content: 'text',
        one: 1,
        asked: 'answer to firstanswer to second',
        fields: ['asked', 'content', 'one'],
      },
    })
    const detail = history.get(runId)
    expect(detail).toMatchObject({
      status: 'completed',
      name: 'P_THREE_STEPS',
      input: { content: 'text' },
    })
    expect(detail?.steps.map(({ action, input, output }) => [action, input, output])).toEqual([
      ['A_ADD_ONE', { content: 'text' }, { content: 'text', one: 1 }],
      [
        'A_ASK_TWICE',
        { content: 'text', one: 1 },
        expect.objectContaining({ asked: expect.any(String) }),
      ],
      [
        'A_COUNT_FIELDS',
        expect.objectContaining({ one: 1 }),
        result && expect.objectContaining({ content: 'text' }),
      ],
    ])
    expect(detail?.steps[1]?.spend).toEqual({
      calls: 2,
      inputTokens: 20,
      outputTokens: 10,
      cost: 0.02,
      models: ['test-model'],
    })
  })

  it('does not count the time until a host is ready toward the timeout of an action', async () => {
    home.action('A_ADD_ONE', 'return { one: 1 }', { timeoutMs: 1000 })
    const acquire: ActionHosts['acquire'] = async (action, stop) => {
      await vi.advanceTimersByTimeAsync(60_000)
      vi.useRealTimers()
      return hosts.acquire(action, stop)
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const runner = openRunner({ hosts: { ...hosts, acquire } })
    expect(await outputOf(runner.run('A_ADD_ONE', {}))).toEqual({ one: 1 })
  })

  it('is on disk before its first effect, and soon, if its caller only waits for its end', async () => {
    home.action(
      'A_WAIT_THEN_RUN',
      "await context.capabilities.readFile('x'); await context.capabilities.shell(['date']); return {}",
      { requires: ['readFile', 'shell'] },
    )
    home.action('A_RUN_NOW', "await context.capabilities.shell(['date']); return {}", {
      requires: ['shell'],
    })
    const seen: unknown[] = []
    const statuses = () => history.list({ limit: 1 }).map(({ name, status }) => [name, status])
    const ran = { stdout: '', stderr: '', code: 0, truncated: false, files: {} }
    const runner = openRunner({
      readFile: async () => {
        await vi.waitUntil(() => statuses()[0]?.[0] === 'A_WAIT_THEN_RUN')
        return 'it is there'
      },
      shell: () => async () => {
        seen.push(...statuses())
        return { ...ran, isolation: 'bubblewrap' }
      },
    })
    await runner.run('A_RUN_NOW', {}, { isUnseen: true })
    await runner.run('A_WAIT_THEN_RUN', {}, { isUnseen: true })
    expect(seen).toEqual([
      ['A_RUN_NOW', 'running'],
      ['A_WAIT_THEN_RUN', 'running'],
    ])
    expect(statuses()).toEqual([['A_WAIT_THEN_RUN', 'completed']])
  })

  it('records the isolation of a shell command, and gives it the network only with fetch', async () => {
    home.action(
      'A_RUN_DATE',
      "return { out: (await context.capabilities.shell(['date'])).stdout }",
      { requires: ['shell'] },
    )
    home.action(
      'A_RUN_CURL',
      "return { out: (await context.capabilities.shell(['curl'])).stdout }",
      {
        requires: ['shell', 'fetch'],
      },
    )
    const runner = openRunner()
    expect(await outputOf(runner.run('A_RUN_DATE', {}))).toEqual({ out: 'date network:false' })
    const { runId } = await runner.run('A_RUN_CURL', {})
    expect(history.get(runId)).toMatchObject({
      output: { out: 'curl network:true' },
      steps: [{ isolation: 'bubblewrap' }],
    })
  })

  it('provides only declared secrets, and stores none', async () => {
    home.action(
      'A_USE_KEY',
      "return { known: context.secret('MY_KEY'), other: String(context.secret('OTHER_KEY')) }",
      {
        secrets: ['MY_KEY'],
      },
    )
    const { runId, result } = await openRunner().run('A_USE_KEY', {})
    expect(result).toEqual({ output: { known: 'the-secret-value', other: 'undefined' } })
    expect(JSON.stringify(history.get(runId))).not.toContain('the-secret-value')
    expect(history.get(runId)?.output).toMatchObject({ known: '[redacted:MY_KEY]' })
  })

  it('masks secrets in an error and in its stack', async () => {
    home.action('A_LEAK_KEY', "throw new Error(`failed with ${context.secret('MY_KEY')}`)", {
      secrets: ['MY_KEY'],
    })
    const { runId } = await openRunner().run('A_LEAK_KEY', {})
    const error = history.get(runId)?.steps[0]?.error
    expect(error?.stack).toMatch(
      /failed with \[redacted:MY_KEY\]\n +at execute \(action\.ts:2:7\)$/,
    )
    expect(JSON.stringify(error)).not.toContain('the-secret-value')
  })

  it('does not start an action without its secret, and names the secret', async () => {
    home.action('A_POST_MESSAGE', "return { sent: `Bearer ${context.secret('CHAT_TOKEN')}` }", {
      secrets: ['CHAT_TOKEN'],
    })
    home.action('A_POST_MAYBE', "return { sent: String(context.secret('CHAT_TOKEN')) }", {
      secrets: [{ name: 'CHAT_TOKEN', optional: true }],
    })
    const runner = openRunner()
    const { runId, result } = await runner.run('A_POST_MESSAGE', {})
    expect(result).toMatchObject({
      error: {
        code: 'secret_missing',
        message:
          'A_POST_MESSAGE needs the secret CHAT_TOKEN, which is not set. Here: add it to .env in the data home. On the edge: steward secrets set CHAT_TOKEN --all',
        remedy: expect.stringContaining('.env in the data home'),
      },
    })
    expect(history.get(runId)).toMatchObject({ status: 'failed', steps: [{ status: 'failed' }] })
    expect(await outputOf(runner.run('A_POST_MAYBE', {}))).toEqual({ sent: 'undefined' })
  })

  it('runs a pipeline of one action without a warning', async () => {
    home.pipeline('P_ONE_STEP', ['A_ADD_ONE'])
    const kinds: string[] = []
    await openRunner().run('P_ONE_STEP', {}, { onProgress: ({ kind }) => kinds.push(kind) })
    expect(kinds).toContain('run-ended')
    expect(kinds).not.toContain('note')
  })

  it('records a failure with its step, and returns it', async () => {
    home.action('A_FAIL_NOW', "throw new Error('out of luck')")
    home.pipeline('P_FAILING', ['A_ADD_ONE', 'A_FAIL_NOW', 'A_COUNT_FIELDS'])
    const { runId, result } = await openRunner().run('P_FAILING', {})
    expect(result).toMatchObject({
      stage: 'A_FAIL_NOW',
      error: { message: 'A_FAIL_NOW failed: out of luck' },
    })
    expect(history.get(runId)).toMatchObject({
      status: 'failed',
      error: { code: 'action_failed' },
      steps: [
        { status: 'completed' },
        { status: 'failed', error: { message: 'A_FAIL_NOW failed: out of luck' } },
      ],
    })
  })

  it('reports progress', async () => {
    const seen: Progress[] = []
    await openRunner().run('P_THREE_STEPS', {}, { onProgress: (progress) => seen.push(progress) })
    expect(seen.map(({ kind }) => kind)).toEqual([
      'run-started',
      ...['A_ADD_ONE', 'A_ASK_TWICE', 'A_COUNT_FIELDS'].flatMap(() => [
        'step-started',
        'step-ended',
      ]),
      'run-ended',
    ])
  })

  it('refuses input that is too large before anything is written', async () => {
    await expect(
      openRunner().run('A_ADD_ONE', { blob: 'x'.repeat(LIMITS.inputBytes) }),
    ).rejects.toMatchObject({
      code: 'payload_too_large',
    })
    expect(history.list()).toEqual([])
  })

  it('suggests the closest name, and reports every missing action of a pipeline', async () => {
    const runner = openRunner()
    await expect(runner.run('A_ADD_OEN', {})).rejects.toThrow(
      'action not found: A_ADD_OEN (did you mean A_ADD_ONE?)',
    )
    home.pipeline('P_BROKEN', ['A_ADD_OEN', 'A_COUNT_FIELD'])
    await expect(runner.run('P_BROKEN', {})).rejects.toThrow(/A_ADD_OEN.*A_COUNT_FIELD/)
    expect(history.list()).toEqual([])
  })

  it('picks up a changed action without a restart', async () => {
    const runner = openRunner()
    expect(await outputOf(runner.run('A_ADD_ONE', {}))).toEqual({ one: 1 })
    home.action('A_ADD_ONE', 'return { one: 11 }')
    expect(await outputOf(runner.run('A_ADD_ONE', {}))).toEqual({ one: 11 })
  })
})

describe('an idempotency key', () => {
  it('never runs twice, and returns the same', async () => {
    const runner = openRunner()
    const first = await runner.run('P_THREE_STEPS', { content: 'a' }, { idempotencyKey: 'k' })
    const second = await runner.run('P_THREE_STEPS', { content: 'a' }, { idempotencyKey: 'k' })
    expect(second.runId).toBe(first.runId)
    expect(second.result).toEqual(first.result)
    expect(prompts).toEqual(['first', 'second'])
    expect(history.list()).toHaveLength(1)
  })

  it('returns a failure unchanged', async () => {
    home.action('A_FAIL_NOW', "throw new Error('out of luck')")
    const runner = openRunner()
    await runner.run('A_FAIL_NOW', {}, { idempotencyKey: 'k' })
    const again = await runner.run('A_FAIL_NOW', {}, { idempotencyKey: 'k' })
    expect(again.result).toMatchObject({
      error: { code: 'action_failed', message: 'A_FAIL_NOW failed: out of luck' },
    })
    expect(history.list()).toHaveLength(1)
  })

  it('refuses another input', async () => {
    const runner = openRunner()
    await runner.run('A_ADD_ONE', { a: 1 }, { idempotencyKey: 'k' })
    await expect(runner.run('A_ADD_ONE', { a: 2 }, { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'run_conflict',
    })
  })
})

describe('a resumed run', () => {
  it('continues at the interrupted step and repeats no paid call', async () => {
    const stop = new AbortController()
    const onProgress = (progress: Progress) => {
      if (progress.kind === 'note') stop.abort(new Error('stopped'))
    }
    home.action(
      'A_ASK_TWICE',
      "const a = await context.capabilities.llm('first'); context.log('now'); const b = await context.capabilities.llm('second'); return { asked: a.text + b.text }",
      { requires: ['llm'] },
    )
    await expect(
      openRunner().run('P_THREE_STEPS', { content: 'text' }, { signal: stop.signal, onProgress }),
    ).rejects.toThrow('stopped')
    await history.close()
    history = open()
    const [interrupted] = history.list({ status: 'interrupted' })
    const before = prompts.length
    const resumed = await openRunner().resume(interrupted?.id ?? '')
    expect(resumed.result).toMatchObject({
      output: { content: 'text', one: 1, asked: 'answer to firstanswer to second' },
    })
    expect(prompts.slice(before).filter((prompt) => prompt === 'first')).toEqual([])
    expect(history.get(resumed.runId)).toMatchObject({
      status: 'completed',
      steps: [{ attempts: 1 }, { attempts: 2, spend: { calls: 2 } }, { attempts: 1 }],
    })
  })

  it('repeats a call whose answer was lost with the same idempotency key, and a failed one with another', async () => {
    const stop = new AbortController()
    onPrompt = (prompt) => {
      if (prompt !== 'second') return
      stop.abort(new Error('stopped'))
      throw new Error('killed before the answer was stored')
    }
    const runner = openRunner()
    await expect(
      runner.run('P_THREE_STEPS', { content: 'text' }, { signal: stop.signal }),
    ).rejects.toThrow('stopped')
    onPrompt = () => undefined
    const [interrupted] = history.list({ status: 'interrupted' })
    await history.close()
    history = open()
    await openRunner().resume(interrupted?.id ?? history.list({})[0]?.id ?? '')
    const keysOf = (wanted: string) => keys.filter((_, index) => prompts[index] === wanted)
    expect(keysOf('second')).toHaveLength(2)
    expect(new Set(keysOf('second')).size).toBe(1)
    expect(keysOf('first')).toHaveLength(1)

    home.action('A_REFUSE_ALL', "return await context.capabilities.llm('refuse')", {
      requires: ['llm'],
    })
    home.pipeline('P_REFUSE_ALL', ['A_ADD_ONE', 'A_REFUSE_ALL'])
    const { runId } = await openRunner().run('P_REFUSE_ALL', {})
    await openRunner().resume(runId)
    expect(new Set(keysOf('refuse')).size).toBe(2)
    expect(new Set(keys).size).toBe(4)
  })

  it('retries the failed step of a failed run', async () => {
    home.action('A_FAIL_NOW', "throw new Error('out of luck')")
    home.pipeline('P_FAILING', ['A_ASK_TWICE', 'A_FAIL_NOW'])
    const runner = openRunner()
    const { runId } = await runner.run('P_FAILING', {})
    home.action('A_FAIL_NOW', 'return { luck: true }')
    expect(await outputOf(runner.resume(runId))).toMatchObject({ luck: true })
    expect(prompts).toEqual(['first', 'second'])
  })

  it('computes with the same values as an uninterrupted one, including texts that look like secrets', async () => {
    const input = { apiKey: 'abc-1', content: SINK_CASES.map(({ text }) => text).join('\n') }
    home.action('A_FAIL_NOW', "throw new Error('out of luck')")
    home.pipeline('P_FAILING', ['A_ADD_ONE', 'A_FAIL_NOW'])
    const runner = openRunner()
    const { runId } = await runner.run('P_FAILING', input, { idempotencyKey: 'k' })
    home.action('A_FAIL_NOW', 'return { luck: true }')
    const whole = { ...input, one: 1, luck: true }
    expect(await outputOf(runner.resume(runId))).toEqual(whole)
    expect(await outputOf(runner.run('P_FAILING', input, { idempotencyKey: 'k' }))).toEqual(whole)
    expect(await outputOf(runner.rerun(runId, '2', { definition: 'current' }))).toEqual(whole)
    expect(findLeaks(JSON.stringify(history.list().map(({ id }) => history.get(id))))).toEqual([])
  })

  it('refuses to compute with a masked secret', async () => {
    home.action('A_FAIL_NOW', "throw new Error('out of luck')")
    const runner = openRunner()
    const { runId } = await runner.run('A_FAIL_NOW', { content: 'has the-secret-value inside' })
    await expect(runner.resume(runId)).rejects.toMatchObject({ code: 'run_not_resumable' })
  })
})

describe('a rerun', () => {
  it('inherits the earlier steps and runs the rest, with the current definition', async () => {
    const runner = openRunner()
    const { runId } = await runner.run('P_THREE_STEPS', { content: 'text' })
    home.pipeline('P_THREE_STEPS', ['A_ADD_ONE', 'A_COUNT_FIELDS'])
    const again = await runner.rerun(runId, '2', { definition: 'current' })
    expect(again.result).toEqual({
      output: { content: 'text', one: 1, fields: ['content', 'one'] },
    })
    expect(history.get(again.runId)).toMatchObject({
      rerunOf: { id: runId, fromStep: 2 },
      status: 'completed',
    })
  })

  it('runs the original chain when asked to', async () => {
    const runner = openRunner()
    const { runId } = await runner.run('P_THREE_STEPS', { content: 'text' })
    home.pipeline('P_THREE_STEPS', ['A_ADD_ONE'])
    const again = await runner.rerun(runId, '3', { definition: 'original' })
    expect(again.result).toMatchObject({ output: { fields: ['asked', 'content', 'one'] } })
    expect(prompts).toEqual(['first', 'second'])
  })

  it('says from which steps it can be rerun', async () => {
    const runner = openRunner()
    const { runId } = await runner.run('A_ADD_ONE', {})
    await expect(runner.rerun(runId, '4', { definition: 'current' })).rejects.toThrow(
      'from steps 1 to 1, not 4',
    )
  })
})

describe('budgets', () => {
  it('include the cost of a refused call', async () => {
    home.action('A_ASK_BADLY', "return { a: (await context.capabilities.llm('refuse')).text }", {
      requires: ['llm'],
    })
    const { runId, result } = await openRunner().run('A_ASK_BADLY', {})
    expect(result).toMatchObject({ error: { code: 'model_refused' } })
    expect(history.get(runId)?.spend).toMatchObject({ calls: 1, cost: 0.01 })
    expect(history.spend({}).cost).toBe(0.01)
  })

  it('stop before the call that would exceed them', async () => {
    budgets = { perRunUsd: 0.015 }
    const { result } = await openRunner().run('A_ASK_TWICE', {})
    expect(result).toMatchObject({
      error: { code: 'budget_exceeded', details: { scope: 'run', limit: 0.015 } },
    })
    expect(prompts).toEqual(['first'])
  })

  it('count the whole day, over all runs', async () => {
    budgets = { perDayUsd: 0.03 }
    const runner = openRunner()
    expect(await outputOf(runner.run('A_ASK_TWICE', {}))).toBeDefined()
    const { result } = await runner.run('A_ASK_TWICE', { other: 1 })
    expect(result).toMatchObject({ error: { details: { scope: 'day' } } })
    expect(prompts).toHaveLength(3)
    clock += 86_400_000
    expect(await outputOf(runner.run('A_ASK_TWICE', { another: 1 }))).toBeDefined()
  })

  it('hold for concurrent calls too', async () => {
    budgets = { perDayUsd: 0.025 }
    home.action(
      'A_ASK_MUCH',
      "return { n: (await Promise.allSettled([1, 2, 3, 4].map((n) => context.capabilities.llm('q' + n)))).filter((r) => r.status === 'fulfilled').length }",
      { requires: ['llm'] },
    )
    expect(await outputOf(openRunner().run('A_ASK_MUCH', {}))).toEqual({ n: 2 })
    expect(prompts).toHaveLength(2)
  })
})
