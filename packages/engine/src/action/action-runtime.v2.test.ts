import {
  type ActionContextV2,
  type ActionManifestV2,
  actionManifestV2,
  type ExecuteV2,
  LIMITS,
} from '@steward/contract'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { executeAction } from './action-runtime.v2.ts'

const manifest = (extra: Partial<Record<keyof ActionManifestV2, unknown>> = {}): ActionManifestV2 =>
  actionManifestV2.parse({
    name: 'A_COUNT_WORDS',
    description: 'Counts words.',
    input: { content: { type: 'string', required: true }, limit: { type: 'integer', default: 10 } },
    output: { words: { type: 'integer' } },
    ...extra,
  })

const contextFor = (signal: () => AbortSignal): ActionContextV2 => ({
  capabilities: {},
  env: { mode: 'local', secrets: [] },
  secret: () => undefined,
  get signal() {
    return signal()
  },
  now: () => new Date(0),
  trace: { runId: 'run', step: 0 },
  log: () => undefined,
})

const run = (execute: ExecuteV2, input: Record<string, unknown>, extra = {}) =>
  executeAction({ manifest: manifest(extra), execute }, input, contextFor)

const countWords: ExecuteV2 = ({ content }) => ({ words: String(content).split(/\s+/).length })

afterEach(() => {
  vi.useRealTimers()
})

describe('passthrough', () => {
  it('returns every upstream field and its own', async () => {
    expect(await run(countWords, { content: 'a b c', title: 'T' })).toEqual({
      content: 'a b c',
      title: 'T',
      limit: 10,
      words: 3,
    })
  })

  it('keeps fields that an action changes in or deletes from its input', async () => {
    const vandal: ExecuteV2 = (input) => {
      input.title = 'changed'
      delete input.content
      return { words: 0 }
    }
    expect(await run(vandal, { content: 'a', title: 'T' })).toMatchObject({
      content: 'a',
      title: 'T',
    })
  })

  it('keeps fields that an action changes deep inside its input', async () => {
    const vandal: ExecuteV2 = ({ tags, author }) => {
      if (Array.isArray(tags)) tags.push('added')
      Reflect.set(Object(author), 'name', 'changed')
      return { words: 0 }
    }
    const input = { content: 'a', tags: ['one'], author: { name: 'N' } }
    expect(await run(vandal, input)).toMatchObject({ tags: ['one'], author: { name: 'N' } })
  })

  it('lets an action replace a field it returns', async () => {
    expect(await run(() => ({ words: 1, content: 'new' }), { content: 'old' })).toMatchObject({
      content: 'new',
    })
  })

  it('never loses a field, whatever the input', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (upstream) => {
        const input: Record<string, unknown> = { ...upstream, content: 'a b' }
        delete input.words
        delete input.limit
        expect(await run(countWords, input)).toEqual({ limit: 10, ...input, words: 2 })
      }),
    )
  })
})

describe('checks', () => {
  it('reports a missing field together with every other mistake', async () => {
    await expect(run(countWords, { limit: 'ten' })).rejects.toMatchObject({
      code: 'invalid_input',
      status: 400,
      message:
        'A_COUNT_WORDS: missing input "content" (string); "limit" must be an integer, found string "ten"',
      details: { field: 'content' },
    })
  })

  it('treats null as missing', async () => {
    await expect(run(countWords, { content: null })).rejects.toThrow('missing input "content"')
  })

  it('enforces an enum', async () => {
    const extra = { input: { content: { type: 'string', enum: ['a', 'b'] } } }
    await expect(run(countWords, { content: 'c' }, extra)).rejects.toThrow(
      'must be one of "a", "b", found "c"',
    )
  })

  it('supports a whole JSON Schema, and reports all mistakes', async () => {
    const schema = {
      type: 'object',
      properties: { content: { type: 'string', minLength: 3 }, n: { type: 'integer' } },
      required: ['content'],
    }
    await expect(run(countWords, { content: 'a', n: 1.5 }, { input: schema })).rejects.toThrow(
      /"content".*"n"/,
    )
    expect(await run(countWords, { content: 'abc', other: 1 }, { input: schema })).toMatchObject({
      words: 1,
      other: 1,
    })
  })

  it('rejects an output that lacks a field or has the wrong type', async () => {
    await expect(run(() => ({}), { content: 'a' })).rejects.toMatchObject({
      code: 'invalid_output',
    })
    await expect(run(() => ({ words: 'three' }), { content: 'a' })).rejects.toThrow(
      '"words" must be an integer, found string "three"',
    )
  })

  it('allows a missing output field only if the manifest says so', async () => {
    const output = { words: { type: 'integer' }, note: { type: 'string', required: false } }
    expect(await run(countWords, { content: 'a' }, { output })).toMatchObject({ words: 1 })
  })

  it.each([
    ['a string', () => 'text'],
    ['an array', () => [1]],
    ['nothing', () => undefined],
  ])('rejects %s as an output', async (_, execute) => {
    await expect(Reflect.apply(run, undefined, [execute, { content: 'a' }])).rejects.toThrow(
      'must return an object',
    )
  })

  it('rejects a cycle and an output beyond the limit', async () => {
    const cycle: Record<string, unknown> = { words: 1 }
    cycle.self = cycle
    await expect(run(() => cycle, { content: 'a' })).rejects.toThrow('cannot be written as JSON')
    await expect(
      run(() => ({ words: 1, blob: 'x'.repeat(LIMITS.outputBytes) }), { content: 'a' }),
    ).rejects.toMatchObject({ code: 'payload_too_large' })
  })
})

describe('failures', () => {
  it('names the action and keeps the message and the cause of the error', async () => {
    const cause = new Error('no such word')
    await expect(
      run(
        () => {
          throw cause
        },
        { content: 'a' },
      ),
    ).rejects.toMatchObject({
      code: 'action_failed',
      message: 'A_COUNT_WORDS failed: no such word',
      cause,
    })
  })

  it('ends an action at its timeout and aborts its signal', async () => {
    vi.useFakeTimers()
    let told = false
    const hanging: ExecuteV2 = (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          told = true
        })
      })
    const ended = expect(run(hanging, { content: 'a' }, { timeoutMs: 1000 })).rejects.toMatchObject(
      {
        code: 'timeout',
        details: { limitMs: 1000 },
      },
    )
    await vi.advanceTimersByTimeAsync(1000)
    await ended
    expect(told).toBe(true)
  })

  it('ends at once when the run is stopped', async () => {
    const stop = new AbortController()
    const hanging: ExecuteV2 = () => new Promise(() => undefined)
    const running = executeAction(
      { manifest: manifest(), execute: hanging },
      { content: 'a' },
      contextFor,
      stop.signal,
    )
    stop.abort(new Error('stopped'))
    await expect(running).rejects.toThrow('stopped')
  })
})
