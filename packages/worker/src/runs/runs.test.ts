import { runDetail } from '@steward/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  actionWorker,
  flowWorker,
  pipelineWorker,
  type RunningWorkers,
  START_LIMIT_MS,
  startWorkers,
} from '../../../edge/src/local/testing/start-workers.ts'

const LEDGER = { d1Databases: { ITEMS_DB: 'items' } }
let workers: RunningWorkers

beforeAll(async () => {
  const counting =
    'globalThis.calls = (globalThis.calls ?? 0) + 1; return { calls: globalThis.calls }'
  const pipeline = pipelineWorker('P_COUNT_CALLS', ['A_COUNT_CALLS', 'A_MAY_BREAK'])
  const flow = {
    id: 'flow-count',
    name: 'F_COUNT_CALLS',
    source: { type: 'file', path: 'items.json' },
    pipeline: 'P_COUNT_CALLS',
    destination: { type: 'file', path: 'out.jsonl' },
    schedule: { intervalMinutes: 60 },
  }
  const files = { 'items.json': JSON.stringify([{ id: 'one', title: 'One' }]) }
  workers = await startWorkers([
    { ...actionWorker('A_COUNT_CALLS', counting), options: LEDGER },
    actionWorker('A_MAY_BREAK', 'if (input.fail) throw new Error("broken on purpose"); return {}'),
    { ...pipeline, options: { ...pipeline.options, ...LEDGER } },
    flowWorker(flow, {
      assets: { files },
      services: ['P_COUNT_CALLS'],
      options: { d1Databases: { ITEMS_DB: 'items', FLOW_DB: 'flow', FEEDS_DB: 'feeds' } },
    }),
  ])
}, START_LIMIT_MS)
afterAll(() => workers.stop())

const post = async (worker: string, path: string, body: unknown, key?: string) => {
  const headers = new Headers(key === undefined ? [] : [['idempotency-key', key]])
  const response = await workers.call(worker, path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const replayed = response.headers.get('idempotency-replayed')
  return { status: response.status, replayed, body: await response.json() }
}

const runs = async (query = '') =>
  (await (await workers.call('P_COUNT_CALLS', `/runs${query}`)).json()).runs

describe('an idempotency key on the edge', () => {
  it('runs an action once, and refuses the key for another input', async () => {
    const first = await post('A_COUNT_CALLS', '/', { a: 1 }, 'key-1')
    expect(first).toMatchObject({ status: 200, replayed: null, body: { success: true } })
    const again = await post('A_COUNT_CALLS', '/', { a: 1 }, 'key-1')
    expect(again).toEqual({ ...first, replayed: 'true' })
    const other = await post('A_COUNT_CALLS', '/', { a: 2 }, 'key-1')
    expect(other).toMatchObject({ status: 409, body: { code: 'run_conflict' } })
    const another = await post('A_COUNT_CALLS', '/', { a: 1 }, 'key-2')
    expect(another.body.output.calls).toBe(first.body.output.calls + 1)
  })

  it('runs a pipeline once when equal requests arrive at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post('P_COUNT_CALLS', '/', { b: 1 }, 'at-once')),
    )
    const counts = answers.flatMap(({ status, body }) =>
      status === 200 ? [body.output.calls] : [],
    )
    expect(new Set(counts).size).toBe(1)
    for (const { status, body } of answers) {
      if (status !== 200) expect(body.code).toBe('run_active')
    }
    const failed = await post('P_COUNT_CALLS', '/', { fail: true }, 'failing')
    expect(failed).toMatchObject({ status: 500, body: { failed_stage: 'A_MAY_BREAK' } })
    expect(await post('P_COUNT_CALLS', '/', { fail: true }, 'failing')).toEqual({
      ...failed,
      replayed: 'true',
    })
  })

  it('is refused by a worker without a ledger, and free again if nothing ran', async () => {
    const refused = await post('A_MAY_BREAK', '/', {}, 'key')
    expect(refused.body).toMatchObject({ code: 'binding_missing' })
    expect(refused.body.error).toContain('Idempotency-Key needs the D1 database ITEMS_DB')
    expect(await post('P_COUNT_CALLS', '/', [], 'mistaken')).toMatchObject({ status: 400 })
    expect(await post('P_COUNT_CALLS', '/', {}, 'mistaken')).toMatchObject({ status: 200 })
  })
})

describe('the record of runs on the edge', () => {
  it('lists the runs of pipelines and flows, and shows one with its steps', async () => {
    await post('P_COUNT_CALLS', '/', { text: 'kept' })
    await post('P_COUNT_CALLS', '/', { fail: true })
    const [latest] = await expect
      .poll(() => runs('?status=failed&limit=1'))
      .toMatchObject([{ name: 'P_COUNT_CALLS', primitive: 'pipeline', stepCount: 2 }])
      .then(() => runs('?limit=1'))
    const shown = await workers.call('F_COUNT_CALLS', `/runs/${latest.id.slice(-8)}`)
    expect(runDetail.parse(await shown.json())).toMatchObject({
      id: latest.id,
      status: 'failed',
      input: { fail: true },
      error: { code: 'action_failed' },
      steps: [
        { path: '1', action: 'A_COUNT_CALLS', status: 'completed', output: { fail: true } },
        { path: '2', action: 'A_MAY_BREAK', status: 'failed' },
      ],
    })
    expect((await workers.call('P_COUNT_CALLS', '/runs', { token: null })).status).toBe(401)
    expect((await workers.call('P_COUNT_CALLS', '/runs/none-such')).status).toBe(404)
  })

  it('starts a flow once per key, and records what it did', async () => {
    const first = await post('F_COUNT_CALLS', '/trigger', {}, 'run-it')
    expect(first).toMatchObject({ status: 202, replayed: null })
    expect(await post('F_COUNT_CALLS', '/trigger', {}, 'run-it')).toEqual({
      ...first,
      replayed: 'true',
    })
    await expect.poll(() => runs('?name=F_COUNT_CALLS')).toMatchObject([{ status: 'completed' }])
    const shown = await workers.call('F_COUNT_CALLS', `/runs/${first.body.run_id}`)
    expect(await shown.json()).toMatchObject({
      idempotencyKey: 'run-it',
      output: { outcome: 'delivered', items: { delivered: 1 } },
    })
  })
})
