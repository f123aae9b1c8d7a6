import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API, type Route, type RunRecord, settings as settingsShape } from '@steward/contract'
import {
  addLadderItem,
  createRedactor,
  ensureHome,
  type Home,
  resolveHome,
} from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createBus } from '../../bus/bus.ts'
import { createLearningModule } from './learning-module.ts'

let home: Home
beforeEach(async () => {
  home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-learning-module-')) })
  await ensureHome(home)
})
afterEach(() => rmSync(home.root, { recursive: true, force: true }))

const createParts = (given: object = {}) => {
  const errors: string[] = []
  const log = {
    info: () => undefined,
    warn: (line: string) => errors.push(line),
    error: (line: string) => errors.push(line),
  }
  const bus = createBus(log)
  const timers: Array<() => void> = []
  const runs: RunRecord[] = []
  const module = createLearningModule({
    home,
    homedir: '/nowhere',
    bus,
    execution: { listRuns: async (limit) => runs.slice(0, limit) },
    failuresSince: async () => [],
    log,
    now: () => 0,
    setTimer: (_delayMs, run) => {
      timers.push(run)
      return () => undefined
    },
    settings: () => settingsShape.parse(given),
    redactor: () => createRedactor({ KEY: 'a-very-secret-value' }),
  })
  const ask = async <R extends Route & { answer: z.ZodType }>(route: R) => {
    const handler = module.handlers.find((each) => each.route === route)
    const call = { signal: new AbortController().signal, header: () => undefined }
    const none = { params: undefined, query: undefined, body: undefined }
    return z.parse(route.answer, await handler?.answer(none, call))
  }
  return { module, bus, timers, errors, ask, runs }
}

const prompt = (text: string, second: number) => ({
  timestamp: new Date(second * 1000).toISOString(),
  session_id: 's',
  source: 'tool-activity' as const,
  type: 'user_prompt',
  prompt: text,
})
const fail = (error: string) => {
  const row = { timestamp: '2026-03-01T10:00:00Z', session_id: 's', tool_name: 'Bash', error }
  appendFileSync(join(home.observability, 'tool-failures.jsonl'), `${JSON.stringify(row)}\n`)
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('GET /api/novelty', () => {
  it('is really empty on a fresh home', async () => {
    const { module, ask } = createParts()
    await module.start?.()
    expect(await ask(API.getNovelty)).toEqual({
      runs: [],
      ratings: [],
      signals: [],
      failurePatterns: [],
    })
    expect(module.health()).toMatchObject({ status: 'ok', failurePatterns: 0 })
    await module.stop?.()
  })

  it('shows ratings, signals and patterns, each once, across restarts', async () => {
    const first = createParts()
    await first.module.start?.()
    const events = [prompt('3 - a-very-secret-value shown', 1), prompt('nice work', 2)]
    first.bus.publish('events.arrived', { events })
    first.bus.publish('events.arrived', { events })
    for (const n of [1, 2, 3]) fail(`boom ${n}`)
    const shown = await first.ask(API.getNovelty)
    expect(shown).toMatchObject({
      ratings: [{ rating: 3, comment: '[redacted:KEY] shown', source: 'explicit' }],
      signals: [{ kind: 'repeated-failure' }, { kind: 'praise' }, { kind: 'low-rating' }],
      failurePatterns: [{ tool: 'Bash', pattern: 'boom <n>', count: 3, sessions: 1 }],
    })
    // Simulates a kill: no stop saves anything, and signals of rows that are counted again are
    // known.
    const second = createParts()
    await second.module.start?.()
    second.bus.publish('events.arrived', { events })
    expect(await second.ask(API.getNovelty)).toEqual(shown)
    await second.module.stop?.()
    const third = createParts()
    await third.module.start?.()
    expect(await third.ask(API.getNovelty)).toEqual(shown)
    await third.module.stop?.()
    await first.module.stop?.()
  })

  it('shows the last runs, when someone here runs anything', async () => {
    const { runs, ask } = createParts()
    const run = {
      id: 'r1',
      primitive: 'action',
      name: 'A_X',
      status: 'failed',
      startedAt: '2026-03-01T10:00:00.000Z',
      endedAt: '2026-03-01T10:00:01.000Z',
      durationMs: 1000,
      error: { code: 'action_failed', message: 'no', retryable: false },
    } as const
    const spend = { calls: 0, inputTokens: 0, outputTokens: 0, cost: 0, models: [] }
    const more = { definition: { version: '1', hash: 'h' }, parentId: null, rerunOf: null }
    runs.push({ ...run, ...more, idempotencyKey: null, stepCount: 1, spend })
    expect(await ask(API.getNovelty)).toMatchObject({ runs: [run] })
  })

  it('reports write failures in health, and recovers', async () => {
    const { module, bus, errors } = createParts()
    await module.start?.()
    const folder = join(home.learning, 'SIGNALS')
    mkdirSync(join(folder, 'ratings.jsonl'), { recursive: true })
    bus.publish('events.arrived', { events: [prompt('8', 1)] })
    await settle()
    expect(module.health()).toMatchObject({ status: 'degraded' })
    expect(errors).toHaveLength(1)
    rmSync(join(folder, 'ratings.jsonl'), { recursive: true })
    bus.publish('events.arrived', { events: [prompt('8', 2)] })
    await settle()
    expect(module.health()).toMatchObject({ status: 'ok' })
    await module.stop?.()
  })

  it('restarts its counts if its file is broken, and reports so', async () => {
    fail('boom')
    writeFileSync(join(home.stateDir, 'failure-patterns.json'), 'nonsense')
    const { module, errors, ask } = createParts()
    await module.start?.()
    expect(errors[0]).toContain('recounted')
    expect(await ask(API.getNovelty)).toMatchObject({ failurePatterns: [{ pattern: 'boom' }] })
    await module.stop?.()
  })
})

describe('GET /api/ladder', () => {
  it('is not available without a folder', async () => {
    const { ask } = createParts()
    expect(await ask(API.getLadder)).toMatchObject({ available: false, sources: [], problems: [] })
  })

  it('shows the stages of the configured folder, and files that are broken', async () => {
    const root = join(home.root, 'climb')
    await addLadderItem(root, { stage: 'ideas', title: 'Try it' }, () => new Date(0))
    writeFileSync(join(root, 'Ideas', 'x.md'), 'nonsense')
    const { ask } = createParts({ learning: { ladder: 'climb' } })
    expect(await ask(API.getLadder)).toMatchObject({
      available: true,
      ideas: [
        { id: 'ID-001', title: 'Try it', status: 'open', created: '1970-01-01T00:00:00.000Z' },
      ],
      problems: [{ file: 'Ideas/x.md' }],
    })
  })
})
