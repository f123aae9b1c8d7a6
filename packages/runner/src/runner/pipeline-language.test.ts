import { join } from 'node:path'
import type { LlmAnswer, PipelineStep, RunDetail } from '@steward/contract'
import type { ModelClient } from '@steward/models'
import { createRedactor } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import { type ActionHosts, createActionHosts } from '../action-host/index.ts'
import { catalogRoots, createCatalog } from '../catalog/index.ts'
import { openHistory, type StoredHistory } from '../history/index.ts'
import { createRunner, type Runner } from './runner.ts'

let home: TemporaryHome
let history: StoredHistory
let hosts: ActionHosts
let prompts: string[]
let waits: number[]
let clock: number

const model: ModelClient = {
  provider: 'anthropic',
  estimate: () => ({ model: 'test-model', maxCost: 0.01 }),
  call: async (prompt): Promise<LlmAnswer> => {
    prompts.push(prompt)
    const usage = { input: 10, output: 5 }
    return { text: `re: ${prompt}`, usage, cost: 0.01, model: 'm', provider: 'anthropic' }
  },
}

const open = () =>
  openHistory({ directory: join(home.path, 'state'), redactor: createRedactor({}) })

const openRunner = (stored: StoredHistory = history): Runner =>
  createRunner({
    catalog: createCatalog(catalogRoots(join(home.path, 'USER'), join(home.path, 'library'))),
    history: stored,
    hosts,
    now: () => clock++,
    path: '',
    startTimer: (ms, onElapsed) => {
      waits.push(ms)
      queueMicrotask(onElapsed)
      return () => undefined
    },
    model: async () => model,
    fetch: async () => new Response('fetched'),
    readFile: async () => 'file',
    shell: () => async () => {
      throw new Error('no shell here')
    },
    secret: () => undefined,
    budgets: () => ({}),
  })

const pipeline = (name: string, actions: PipelineStep[], more: object = {}): void => {
  const definition = { name, description: `${name}.`, ...more, actions }
  home.write(`USER/PIPELINES/${name}.yaml`, JSON.stringify(definition))
}

const shape = ({ steps }: Pick<RunDetail, 'steps'>) =>
  steps.map(({ path, action, status }) => `${path} ${action} ${status}`)

const detailOf = (id: string): RunDetail => {
  const run = history.get(id)
  if (run === undefined) throw new Error(`no run ${id}`)
  return run
}

const ANY = { type: 'string', required: false }

beforeEach(() => {
  home = createTemporaryHome()
  history = open()
  hosts = createActionHosts()
  prompts = []
  waits = []
  clock = 1_000_000
  home.action(
    'A_ASK_IT',
    'const { text } = await context.capabilities.llm(input.prompt ?? input.text); return { answer: text }',
    { requires: ['llm'], input: { prompt: ANY, text: ANY }, output: { answer: ANY } },
  )
  home.action('A_FAIL_NOW', "throw new Error('out of luck')", { output: { luck: ANY } })
  home.action('A_MARK_END', 'return { end: Object.keys(input).length }')
})

afterEach(async () => {
  await hosts.close()
  await history.close()
  home.remove()
})

describe('a run of a pipeline with other steps than names', () => {
  it('records every step with its path, input and output', async () => {
    pipeline(
      'P_ASK_ALL',
      [
        { when: 'text.size() > 2' },
        { action: 'A_ASK_IT', with: { prompt: 'In {language}: {text}' } },
        { parallel: [['A_MARK_END'], [{ when: 'language == "de"' }, 'A_MARK_END']] },
      ],
      { input: { language: { type: 'string', default: 'en' } } },
    )
    const { runId, result } = await openRunner().run('P_ASK_ALL', { text: 'tea' })
    expect(result).toEqual({
      output: { text: 'tea', language: 'en', answer: 're: In en: tea', end: 3 },
    })
    const run = detailOf(runId)
    expect(run).toMatchObject({
      status: 'completed',
      input: { text: 'tea', language: 'en' },
      output: { answer: 're: In en: tea', end: 3 },
    })
    expect(shape(run)).toEqual([
      '1 when text.size() > 2 completed',
      '2 A_ASK_IT completed',
      '3 parallel completed',
      '3.parallel[1].1 A_MARK_END completed',
      '3.parallel[2].1 when language == "de" filtered',
    ])
    expect(run.steps[1]).toMatchObject({
      input: { prompt: 'In en: tea', text: 'tea' },
      spend: { calls: 1 },
    })
    expect(run.steps[1]?.output).not.toHaveProperty('prompt')
    expect(run.steps[3]?.input).toEqual({ text: 'tea', language: 'en', answer: 're: In en: tea' })
  })

  it('ends as filtered where a condition is not met', async () => {
    pipeline('P_LONG_ONLY', ['A_MARK_END', { when: 'text.size() > 5' }, 'A_ASK_IT'])
    const runner = openRunner()
    const { runId, result } = await runner.run('P_LONG_ONLY', { text: 'tea' })
    expect(result).toEqual({ output: { text: 'tea', end: 1 }, filtered: 'text.size() > 5' })
    expect(detailOf(runId)).toMatchObject({ status: 'filtered', output: { end: 1 }, error: null })
    expect(history.list({ status: 'filtered' })).toHaveLength(1)
    expect(history.list({ status: 'completed' })).toHaveLength(0)
    expect((await runner.resume(runId)).result).toEqual(result)
    expect(prompts).toEqual([])
  })

  it('is refused before its first action if an expression names an unknown field', async () => {
    pipeline('P_TYPO_HERE', ['A_ASK_IT', { when: 'anser != ""' }])
    await expect(openRunner().run('P_TYPO_HERE', { text: 'x' })).rejects.toThrow(
      /P_TYPO_HERE\.yaml: line 1: actions\[1\]\.when: .*field anser \(did you mean answer\?\)/,
    )
    expect(prompts).toEqual([])
  })

  it('retries and falls back, and records both', async () => {
    pipeline('P_FALL_BACK', [
      { action: 'A_FAIL_NOW', retry: { attempts: 3, delay: '10s' }, onError: 'A_ASK_IT' },
      'A_MARK_END',
    ])
    const { runId, result } = await openRunner().run('P_FALL_BACK', { text: 'x' })
    expect(result).toEqual({ output: { text: 'x', answer: 're: x', end: 2 } })
    expect(waits).toEqual([10_000, 20_000])
    const run = detailOf(runId)
    expect(shape(run)).toEqual([
      '1 A_FAIL_NOW failed',
      '1.onError.1 A_ASK_IT completed',
      '2 A_MARK_END completed',
    ])
    expect(run.steps[0]).toMatchObject({
      handled: true,
      attempts: 3,
      error: { message: 'A_FAIL_NOW failed: out of luck' },
      output: { answer: 're: x' },
    })
    expect(run.steps[1]?.input).toMatchObject({ error: { code: 'action_failed' } })
  })
})

describe('a failure in a branch', () => {
  const LIST = [{ text: 'a' }, { text: 'b' }, { text: 'c' }]
  beforeEach(() => {
    home.action('A_CHECK_IT', "if (input.text === 'b') throw new Error('not b'); return {}")
    pipeline(
      'P_FAN_OUT',
      [
        { action: 'A_ASK_IT', with: { prompt: 'once' } },
        { parallel: [['A_ASK_IT'], [{ each: 'list', do: ['A_ASK_IT', 'A_CHECK_IT'] }]] },
        'A_MARK_END',
      ],
      { input: { list: { type: 'array' } } },
    )
  })
  const OUTPUT = {
    text: 'x',
    answer: 're: x',
    list: LIST.map(({ text }) => ({ text, answer: `re: ${text}` })),
    end: 3,
  }

  it('is resumed without paying for a finished step again', async () => {
    const runner = openRunner()
    const { runId, result } = await runner.run('P_FAN_OUT', { text: 'x', list: LIST })
    expect(result).toMatchObject({ stage: 'A_CHECK_IT' })
    expect(prompts.toSorted()).toEqual(['a', 'b', 'c', 'once', 'x'])
    expect(shape(detailOf(runId)).filter((line) => line.endsWith('failed'))).toEqual([
      '2 parallel failed',
      '2.parallel[2].1 each list failed',
      '2.parallel[2].1.each[2].2 A_CHECK_IT failed',
    ])
    home.action('A_CHECK_IT', 'return {}')
    expect((await runner.resume(runId)).result).toEqual({ output: OUTPUT })
    expect(prompts).toHaveLength(5)
    expect(shape(detailOf(runId)).every((line) => line.endsWith('completed'))).toBe(true)
  })

  it('is rerun inside the fan-out: only that element and what follows runs', async () => {
    const runner = openRunner()
    const { runId } = await runner.run('P_FAN_OUT', { text: 'x', list: LIST })
    home.action('A_CHECK_IT', 'return {}')
    const again = await runner.rerun(runId, '2.parallel[2].1.each[2].1', { definition: 'current' })
    expect(again.result).toEqual({ output: OUTPUT })
    expect(prompts.slice(5)).toEqual(['b'])
    const run = detailOf(again.runId)
    expect(run.spend.calls).toBe(1)
    expect(run.rerunOf).toEqual({ id: runId, fromStep: 2 })
    await expect(
      runner.rerun(runId, '2.parallel[2].1.each[9].1', { definition: 'current' }),
    ).rejects.toThrow('it never reached step 2.parallel[2].1.each[9].1')
  })

  it('of a process that died is continued by another one', async () => {
    const abandoned = openRunner()
    const stop = new AbortController()
    home.action('A_CHECK_IT', "if (input.text === 'b') await new Promise(() => {}); return {}")
    const onProgress = ({
      kind,
      ...progress
    }: {
      kind: string
      path?: string
      action?: string
    }) => {
      if (kind === 'step-started' && progress.path?.endsWith('each[2].2'))
        stop.abort(new Error('dead'))
    }
    const running = abandoned.run(
      'P_FAN_OUT',
      { text: 'x', list: LIST },
      { onProgress, signal: stop.signal },
    )
    await expect(running).rejects.toThrow('dead')
    await history.close()
    history = open()
    home.action('A_CHECK_IT', 'return {}')
    const [left] = history.list({ status: 'interrupted' })
    const paid = prompts.length
    expect((await openRunner().resume(left?.id ?? '')).result).toEqual({ output: OUTPUT })
    expect(prompts.length).toBeLessThanOrEqual(5)
    expect(prompts.length).toBeGreaterThanOrEqual(paid)
  })
})

it('runs the definition that it was started with, and reruns the current one', async () => {
  pipeline('P_CHANGING_ONE', ['A_ASK_IT', { when: 'answer == "nothing"' }, 'A_MARK_END'])
  const runner = openRunner()
  const { runId } = await runner.run('P_CHANGING_ONE', { text: 'x' })
  pipeline('P_CHANGING_ONE', ['A_ASK_IT', { when: 'answer != "nothing"' }, 'A_MARK_END'])
  const again = await runner.rerun(runId, '2', { definition: 'current' })
  expect(again.result).toEqual({ output: { text: 'x', answer: 're: x', end: 2 } })
  const original = await runner.rerun(runId, '2', { definition: 'original' })
  expect(original.result).toMatchObject({ filtered: 'answer == "nothing"' })
  expect(prompts).toEqual(['x'])
})

it('ends the same wherever its process dies, and pays for every model call once', async () => {
  const steps: PipelineStep[] = [
    { when: 'text != ""' },
    { action: 'A_ASK_IT', with: { prompt: 'once' } },
    { action: 'A_FAIL_NOW', onError: [{ action: 'A_ASK_IT', with: { prompt: 'instead' } }] },
    { parallel: [['A_ASK_IT', 'A_MARK_END'], [{ each: 'list', do: ['A_ASK_IT', 'A_MARK_END'] }]] },
  ]
  pipeline('P_DIE_ANYWHERE', steps, { input: { list: { type: 'array' } } })
  const input = { text: 'x', list: [{ text: 'a' }, { text: 'b' }] }
  const whole = await openRunner().run('P_DIE_ANYWHERE', input)
  const wanted = shape(detailOf(whole.runId))
  const paid = prompts.toSorted()
  expect(paid).toEqual(['a', 'b', 'instead', 'once', 'x'])

  let died = 0
  for (let last = 0; last < 60; last++) {
    prompts = []
    let writes = 0
    const dying: StoredHistory = {
      ...history,
      advance: async (change) => {
        if (writes++ >= last) throw new Error('the process died')
        return history.advance(change)
      },
    }
    const ended = await openRunner(dying)
      .run('P_DIE_ANYWHERE', input)
      .catch((thrown: Error) => thrown)
    await history.close()
    history = open()
    if (!(ended instanceof Error)) break
    died++
    const [left] = history.list({ status: 'interrupted' })
    const { result, runId } = await openRunner().resume(left?.id ?? '')
    expect(result, `after ${last} writes`).toEqual(whole.result)
    expect(shape(detailOf(runId)), `after ${last} writes`).toEqual(wanted)
    expect(prompts.toSorted(), `after ${last} writes`).toEqual(paid)
  }
  expect(died).toBeGreaterThan(3)
}, 120_000)
