import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LIMITS, runDetail } from '@steward/contract'
import { createRedactor } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  HELD_BACK_TEXTS,
  missedRates,
} from '../../../platform/src/redaction/testing/held-back-rates.ts'
import { findLeaks, SINK_CASES } from '../../../platform/src/redaction/testing/secret-forms.ts'
import { openHistory, type StoredHistory } from './open-history.ts'
import { newRunId } from './run-id.ts'
import {
  NO_SPEND,
  sampleAdvance,
  sampleAnswer,
  sampleFailure,
  sampleRun,
  T0,
} from './testing/samples.ts'

const SECRET = 'hunter2-hunter2-hunter2'
let directory = ''
let history: StoredHistory

const open = () => openHistory({ directory, redactor: createRedactor({ API_KEY: SECRET }) })

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'steward-history-'))
  history = open()
})

afterEach(async () => {
  await history.close()
  rmSync(directory, { recursive: true, force: true })
})

const begin = async (changes: Parameters<typeof sampleRun>[0] = {}) => {
  const run = sampleRun(changes)
  await history.begin(run)
  return run.id
}

const complete = async (changes: Parameters<typeof sampleRun>[0] = {}) => {
  const id = await begin(changes)
  await history.advance(sampleAdvance(id, 0, { done: true }, 'end'))
  return id
}

describe('a run', () => {
  test('is read back complete, each value stored once', async () => {
    const id = await begin()
    await history.advance(sampleAdvance(id, 0, { content: 'a storm', words: 2 }, 'next'))
    await history.advance(
      sampleAdvance(id, 1, { content: 'a storm', words: 2, rating: 'A' }, 'end'),
    )
    const detail = history.get(id)
    expect(runDetail.parse(detail)).toEqual(detail)
    expect(detail).toMatchObject({
      status: 'completed',
      definition: { version: '1.0.0', hash: 'abc' },
      input: { content: 'a storm' },
      output: { rating: 'A' },
      stepCount: 2,
      durationMs: 20,
      startedAt: '2026-11-15T09:00:00.000Z',
      steps: [
        { step: 1, input: { content: 'a storm' }, output: { words: 2 }, attempts: 1 },
        { step: 2, input: { words: 2 }, output: { rating: 'A' }, durationMs: 10 },
      ],
    })
    await history.close()
    const file = new DatabaseSync(join(directory, 'history.sqlite'))
    const stored = file.prepare('SELECT count(input) + count(output) AS payloads FROM steps').get()
    expect(stored?.payloads).toBe(3)
    file.close()
  })

  test('takes one commit to start and one for each step', async () => {
    const file = new DatabaseSync(join(directory, 'history.sqlite'))
    const versions = new Set<unknown>()
    const look = () => versions.add(file.prepare('PRAGMA data_version').get()?.data_version)
    look()
    const id = await begin()
    look()
    await history.advance(sampleAdvance(id, 0, { a: 1 }, 'next'))
    look()
    await history.advance(sampleAdvance(id, 1, { a: 2 }, 'next'))
    look()
    await history.advance(sampleAdvance(id, 2, { a: 3 }, 'end'))
    look()
    expect(versions.size).toBe(5)
    file.close()
  })

  test('that failed keeps its error, and is retried at that step', async () => {
    const id = await begin()
    await history.advance(sampleAdvance(id, 0, { a: 1 }, 'next'))
    await history.advance(sampleFailure(id, 1))
    expect(history.get(id)).toMatchObject({
      status: 'failed',
      error: { code: 'timeout' },
      steps: [{ status: 'completed' }, { status: 'failed', error: { code: 'timeout' } }],
    })
    expect(history.list({ status: 'failed' }).map((run) => run.id)).toEqual([id])
    expect(history.resumable(id)?.pending).toEqual({
      index: 1,
      action: 'A_TWO_STEPS',
      input: { a: 1 },
    })
    expect(await history.claim(id)).toBe(false)
    expect(await history.claim(id, { failed: true })).toBe(true)
    await history.advance({
      runId: id,
      next: { index: 1, action: 'A_TWO_STEPS', startedAt: T0 + 60 },
    })
    expect(history.get(id)).toMatchObject({
      status: 'running',
      error: null,
      steps: [{}, { status: 'running', attempts: 2, error: null }],
    })
  })

  test('that repeats another inherits its steps, but not their cost', async () => {
    const spend = { calls: 1, inputTokens: 5, outputTokens: 1, cost: 0.5, models: ['m'] }
    const first = { index: 0, action: 'A_ONE_STEP', startedAt: T0, endedAt: T0 + 5 }
    const inherited = [{ ...first, output: { a: 1 }, spend, isolation: null }]
    const id = await begin({
      inherited,
      rerunOf: { id: 'older', fromStep: 1 },
      firstStep: { index: 1, action: 'A_TWO_STEPS', startedAt: T0 },
    })
    expect(history.get(id)).toMatchObject({
      rerunOf: { id: 'older', fromStep: 2 },
      input: { content: 'a storm' },
      spend: { calls: 0 },
      steps: [{ output: { a: 1 } }, { input: { a: 1 }, status: 'running' }],
    })
  })

  test('may have an output of its own, and children', async () => {
    const id = await begin({ primitive: 'flow', name: 'F_FEEDS_DIGEST' })
    const children = [await complete({ parentId: id }), await complete({ parentId: id })]
    const done = sampleAdvance(id, 0, { items: 3 }, 'end')
    await history.advance({
      ...done,
      finished: { status: 'completed', endedAt: T0, output: { delivered: 3 } },
    })
    const detail = history.get(id)
    expect(detail?.output).toEqual({ delivered: 3 })
    expect(detail?.children.map((run) => run.id)).toEqual(children)
  })

  test('that does not exist is reported', async () => {
    expect(history.get('none')).toBeUndefined()
    expect(history.resumable('none')).toBeUndefined()
    expect(await history.claim('none')).toBe(false)
    const advance = history.advance(sampleAdvance('none', 0, {}, 'end'))
    await expect(advance).rejects.toMatchObject({ code: 'not_found' })
  })

  test('rejects a value that JSON cannot represent', async () => {
    const begun = history.begin(sampleRun({ input: { big: 1n } }))
    await expect(begun).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('left running by a closed history is interrupted', async () => {
    const id = await begin()
    await history.close()
    history = open()
    expect(history.get(id)?.status).toBe('interrupted')
  })
})

describe('idempotency', () => {
  test('the same key and input find the first run, in any order of fields', async () => {
    const id = await begin({ idempotencyKey: 'k', input: { a: 1, b: { c: 2, d: 3 } } })
    const again = await history.begin(
      sampleRun({ idempotencyKey: 'k', input: { b: { d: 3, c: 2 }, a: 1 } }),
    )
    expect(again).toMatchObject({ created: false, run: { id, idempotencyKey: 'k' } })
  })

  test('the same key with another input or another name is a conflict', async () => {
    await begin({ idempotencyKey: 'k' })
    for (const changes of [{ input: { content: 'other' } }, { name: 'P_OTHER_ONE' }]) {
      const begun = history.begin(sampleRun({ idempotencyKey: 'k', ...changes }))
      await expect(begun).rejects.toMatchObject({ code: 'run_conflict' })
    }
  })
})

describe('large payloads', () => {
  const large = (letter: string) => ({ content: letter.repeat(LIMITS.payloadSpillBytes) })
  const listFiles = () => {
    const folder = join(directory, 'payloads')
    return readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)))
  }

  test('are files, one per content, and come back complete', async () => {
    const first = await begin({ input: large('a') })
    const second = await begin({ input: large('a') })
    await history.advance(sampleAdvance(first, 0, large('b'), 'next'))
    expect(listFiles()).toHaveLength(2)
    expect(history.get(first)).toMatchObject({
      input: large('a'),
      steps: [{ output: large('b') }, { input: large('b') }],
    })
    expect(history.get(second)?.input).toEqual(large('a'))
  })

  test('up to the limit stay in the database', async () => {
    await begin({ input: { content: 'é'.repeat(LIMITS.payloadSpillBytes / 2 - 10) } })
    expect(() => listFiles()).toThrow('ENOENT')
  })

  test('that are missing are an error, not an empty value', async () => {
    const id = await begin({ input: large('a') })
    rmSync(join(directory, 'payloads'), { recursive: true })
    expect(() => history.get(id)).toThrow('the stored payload cannot be read')
  })

  test('are deleted with the last run that refers to them', async () => {
    await complete({ input: large('a'), startedAt: T0 })
    await complete({ input: large('b'), startedAt: T0 })
    const kept = await complete({ input: large('a'), startedAt: T0 + 1e10 })
    const policy = { maxRuns: 1e6, maxAgeDays: 30, maxBytes: 1e12 }
    const pruned = await history.prune(policy, T0 + 1e10)
    expect(pruned).toMatchObject({ runs: 2, payloadFiles: 1 })
    expect(listFiles()).toHaveLength(1)
    expect(history.get(kept)?.input).toEqual(large('a'))
  })
})

describe('secrets', () => {
  test('are nowhere in the stored files, and a run that lost one is marked', async () => {
    const id = await begin({ input: { content: `key ${SECRET}` } })
    const error = { code: 'action_failed', message: `bad ${SECRET}`, retryable: false }
    await history.recordCall({
      runId: id,
      step: 0,
      ordinal: 0,
      requestHash: 'h',
      answer: sampleAnswer({ text: SECRET }),
      at: T0,
    })
    await history.advance({
      runId: id,
      done: { index: 0, endedAt: T0, outcome: { error }, spend: NO_SPEND, isolation: null },
      finished: { status: 'failed', endedAt: T0, error },
    })
    expect(JSON.stringify(history.get(id))).not.toContain(SECRET)
    expect(history.calls(id, 0)[0]?.answer.text).not.toContain(SECRET)
    expect(history.resumable(id)?.redacted).toBe(true)
    const clean = await begin()
    expect(history.resumable(clean)?.redacted).toBe(false)
    await history.close()
    expect(readFileSync(join(directory, 'history.sqlite')).includes(SECRET)).toBe(false)
  })
})

describe('model calls', () => {
  const record = (runId: string, at: number, changes: Parameters<typeof sampleAnswer>[0] = {}) =>
    history.recordCall({
      runId,
      step: 0,
      ordinal: 0,
      requestHash: `hash-${at}`,
      answer: sampleAnswer(changes),
      at,
    })

  test('are returned for their step, and summed up by time, flow and run', async () => {
    const flow = await begin({ primitive: 'flow', name: 'F_FEEDS_DIGEST' })
    const child = await begin({ parentId: flow })
    const other = await begin()
    await record(child, T0)
    await record(child, T0 + 100, { model: 'model-b' })
    await record(other, T0 + 200)
    expect(history.calls(child, 0).map(({ requestHash }) => requestHash)).toEqual([
      `hash-${T0}`,
      `hash-${T0 + 100}`,
    ])
    expect(history.calls(child, 1)).toEqual([])
    expect(history.spend({ flow: 'F_FEEDS_DIGEST' })).toEqual({
      calls: 2,
      inputTokens: 20,
      outputTokens: 4,
      cost: 0.5,
      models: ['model-a', 'model-b'],
    })
    expect(history.get(flow)?.spend).toMatchObject({ calls: 2, cost: 0.5 })
    expect(history.spend({ since: T0 + 100 }).calls).toBe(2)
    expect(history.spend({ flow: 'F_FEEDS_DIGEST', since: T0 + 100 }).calls).toBe(1)
    expect(history.spend({ runId: flow }).calls).toBe(2)
    expect(history.spend({ runId: other }).calls).toBe(1)
    const day = new Date(T0).toISOString().slice(0, 10)
    expect(history.dailySpend(0)).toMatchObject([
      { day, flow: null, calls: 1 },
      { day, flow: 'F_FEEDS_DIGEST', calls: 2, cost: 0.5 },
    ])
    expect(history.dailySpend(T0 + 86_400_000)).toEqual([])
    expect(history.spend({ runId: 'none' })).toEqual(NO_SPEND)
  })

  test('an unknown price makes the sum unknown, not smaller', async () => {
    const id = await begin()
    await record(id, T0)
    await record(id, T0 + 1, { cost: null })
    expect(history.spend({}).cost).toBeNull()
  })
})

describe('lists', () => {
  test('are newest first, in pages that neither skip nor repeat', async () => {
    const ids: string[] = []
    for (let number = 0; number < 7; number++) ids.unshift(await complete())
    const pages: string[] = []
    for (let before: string | undefined; ; ) {
      const page = history.list({ limit: 3, ...(before === undefined ? {} : { before }) })
      if (page.length === 0) break
      pages.push(...page.map(({ id }) => id))
      before = pages.at(-1)
    }
    expect(pages).toEqual(ids)
  })

  test('are filtered by name, primitive, status and parent', async () => {
    const flow = await begin({ primitive: 'flow', name: 'F_FEEDS_DIGEST' })
    const child = await complete({ parentId: flow })
    const top = await complete({ name: 'P_OTHER_ONE' })
    const find = (filter: Parameters<StoredHistory['list']>[0]) =>
      history.list(filter).map(({ id }) => id)
    expect(find({})).toEqual([top, child, flow])
    expect(find({ name: 'P_OTHER_ONE' })).toEqual([top])
    expect(find({ primitive: 'flow' })).toEqual([flow])
    expect(find({ primitive: 'pipeline' })).toEqual([top, child])
    expect(find({ status: 'running' })).toEqual([flow])
    expect(find({ status: 'completed' })).toEqual([top, child])
    expect(find({ parentId: null })).toEqual([top, flow])
    expect(find({ parentId: flow, status: 'completed' })).toEqual([child])
  })

  test('are filtered by the time at which they started', async () => {
    const old = await complete({ startedAt: T0 })
    const late = await complete({ startedAt: T0 + 2 })
    const later = await complete({ startedAt: T0 + 3 })
    const find = (filter: Parameters<StoredHistory['list']>[0]) =>
      history.list(filter).map(({ id }) => id)
    expect(find({ since: T0 + 2 })).toEqual([later, late])
    expect(find({ since: T0 + 2, order: 'oldest' })).toEqual([late, later])
    expect(find({ since: T0 })).toEqual([later, late, old])
  })

  test('find ids by prefix, and report ambiguous ones', async () => {
    const [first, second] = [await begin({ id: 'abc-1' }), await begin({ id: 'abc-2' })]
    await begin({ id: 'abc-10' })
    expect(history.resolveId('abc-2')).toBe(second)
    expect(history.resolveId('abc-1')).toBe(first)
    expect(history.resolveId('abc-10')).toBe('abc-10')
    expect(history.resolveId('x')).toBeUndefined()
    expect(history.resolveId('')).toBeUndefined()
    expect(() => history.resolveId('abc')).toThrow('run abc could be abc-2 (P_')
  })
})

test('run ids sort by creation', () => {
  const ids = [T0, T0, T0 + 1, T0, T0 + 5].map(newRunId)
  expect(ids.toSorted()).toEqual(ids)
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

describe('texts that only look like secrets', () => {
  const texts = SINK_CASES.map(({ text }) => text)
  const input = { texts, apiKey: 'abc-1', encoded: JSON.stringify({ texts }) }

  test('are never shown, but kept for a resumed run', async () => {
    const id = await begin({ input })
    await history.advance(sampleAdvance(id, 0, input, 'next'))
    expect(history.get(id)).toMatchObject({ input: { apiKey: '[redacted]' } })
    expect(findLeaks(JSON.stringify(history.get(id)))).toEqual([])
    expect(history.resumable(id)).toMatchObject({
      redacted: false,
      input,
      finished: [{ output: input }],
      pending: { input },
    })
    expect(history.getStored(id)?.steps[0]?.output).toEqual(input)
  })

  test('are not even stored in errors', async () => {
    for (const text of texts) {
      const id = await begin({ input: {} })
      const error = { code: 'action_failed', message: `bad: ${text}`, retryable: false }
      await history.advance({
        runId: id,
        done: { index: 0, endedAt: T0, outcome: { error }, spend: NO_SPEND, isolation: null },
        finished: { status: 'failed', endedAt: T0, error },
      })
    }
    expect(findLeaks(JSON.stringify(history.list({ limit: 500 })))).toEqual([])
    await history.close()
    const file = new DatabaseSync(join(directory, 'history.sqlite'))
    const stored = file.prepare('SELECT error FROM runs UNION ALL SELECT error FROM steps').all()
    file.close()
    expect(JSON.stringify(stored)).toContain('[redacted]')
    expect(findLeaks(stored.map(({ error }) => String(error)).join('\n'))).toEqual([])
  })
})

describe('the held-back texts', () => {
  const texts = [...HELD_BACK_TEXTS]

  test('are shown in payloads of runs and steps with the required rates', async () => {
    const id = await begin({ input: { texts } })
    await history.advance(sampleAdvance(id, 0, { texts }, 'end'))
    const { input, output, steps } = runDetail.parse(history.get(id))
    const shown = [input, output, steps[0]?.output].map((payload) => stringsIn(payload?.texts))
    for (const each of shown) expect(missedRates(each)).toEqual([])
  })

  test('are stored in errors with the required rates', async () => {
    const ids: string[] = []
    for (const text of texts) {
      const error = { code: 'action_failed', message: `bad: ${text}`, retryable: false }
      const id = await begin({ input: {} })
      ids.push(id)
      await history.advance({
        runId: id,
        done: { index: 0, endedAt: T0, outcome: { error }, spend: NO_SPEND, isolation: null },
        finished: { status: 'failed', endedAt: T0, error },
      })
    }
    await history.close()
    const file = new DatabaseSync(join(directory, 'history.sqlite'))
    const rows = file.prepare('SELECT id, error FROM runs').all()
    file.close()
    const errors = new Map(rows.map(({ id, error }) => [String(id), String(error)]))
    expect(missedRates(ids.map((id) => errors.get(id) ?? ''))).toEqual([])
  })
})

const stringsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((each) => String(each)) : []

describe('a history that is gone', () => {
  const notes = () => readdirSync(directory).filter((name) => name.includes('.lost-'))
  const removeHistory = async () => {
    await history.close()
    for (const ending of ['', '-wal', '-shm'])
      rmSync(join(directory, `history.sqlite${ending}`), { force: true })
  }

  test('leaves a note when runs were there before', async () => {
    await begin({ input: { content: 'x'.repeat(LIMITS.payloadSpillBytes + 1) } })
    await removeHistory()
    history = open()
    expect(notes()).toHaveLength(1)
    expect(readFileSync(join(directory, String(notes()[0])), 'utf8')).toContain('was missing')
    await history.close()
    history = open()
    expect(notes()).toHaveLength(1)
  })

  test('leaves none at a first start', async () => {
    await removeHistory()
    history = open()
    expect(notes()).toEqual([])
  })
})
