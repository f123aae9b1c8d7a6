import { startVendorStandIn, type VendorStandIn } from '@steward/models/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  actionWorker,
  pipelineWorker,
  type RunningWorkers,
  START_LIMIT_MS,
  startWorkers,
} from '../../edge/src/local/testing/start-workers.ts'

let vendor: VendorStandIn
let workers: RunningWorkers
const service = (name: string, script: string) => ({ name, entry: script })

beforeAll(async () => {
  vendor = await startVendorStandIn()
  const llm = {
    LLM_API_KEY: 'sk-test-0123456789',
    LLM_PROVIDER: 'anthropic',
    LLM_BASE_URL: vendor.url,
  }
  workers = await startWorkers([
    actionWorker('A_ADD_FIRST', 'return { first: 1, trace: context.trace }'),
    actionWorker(
      'A_EAT_CONTENT',
      'return { content: undefined, second: Object.keys(input).length }',
    ),
    actionWorker('A_ADD_THIRD', 'return { third: input.content, step: context.pipeline }'),
    actionWorker(
      'A_ASK_MODEL',
      'return { said: (await context.capabilities.llm("Say it.")).text }',
      { requires: ['llm'] },
      llm,
    ),
    actionWorker('A_NEED_TEXT', 'return {}', {
      input: { text: { type: 'string', required: true } },
    }),
    actionWorker('A_BREAK_DOWN', 'throw new Error("broken")'),
    { ...actionWorker('A_OTHER_TOKEN', 'return {}'), env: { AUTH_TOKEN: 'another-token' } },
    service(
      'A_DROP_ALL',
      'export default { fetch: () => Response.json({ success: true, output: { own: 1 } }) }',
    ),
    service('A_SAY_NOTHING', 'export default { fetch: () => Response.json({ success: true }) }'),
    service(
      'A_SAY_HTML',
      'export default { fetch: () => new Response("<html>", { status: 503, headers: { "retry-after": new Date(Date.now() + 3_600_000).toUTCString() } }) }',
    ),
    service(
      'A_SAY_NO',
      'export default { fetch: () => Response.json({ success: false, error: "no", code: "rejected_content" }) }',
    ),
    service(
      'A_SAY_ODD',
      'export default { fetch: () => Response.json({ success: false, error: "odd", code: "odd" }, { status: 418 }) }',
    ),
    service('A_THROW_RAW', 'export default { fetch: () => { throw new Error("raw") } }'),
    pipelineWorker('P_THREE_STEPS', ['A_ADD_FIRST', 'A_EAT_CONTENT', 'A_ADD_THIRD']),
    pipelineWorker('P_WITH_MODEL', ['A_ASK_MODEL', 'A_ASK_MODEL', 'A_ADD_FIRST']),
    ...[
      'A_NEED_TEXT',
      'A_BREAK_DOWN',
      'A_OTHER_TOKEN',
      'A_DROP_ALL',
      'A_SAY_NOTHING',
      'A_SAY_HTML',
      'A_SAY_NO',
      'A_SAY_ODD',
      'A_THROW_RAW',
    ].map((name) => pipelineWorker(name.replace('A_', 'P_'), ['A_ADD_FIRST', name, 'A_ADD_THIRD'])),
    pipelineWorker('P_UNBOUND', ['A_ADD_FIRST', 'A_ADD_THIRD'], ['A_ADD_FIRST']),
    pipelineWorker(
      'P_LONG_CHAIN',
      Array.from({ length: 1001 }, () => 'A_DROP_ALL'),
    ),
    pipelineWorker(
      'P_LONGEST_CHAIN',
      Array.from({ length: 1000 }, () => 'A_DROP_ALL'),
    ),
  ])
}, START_LIMIT_MS)
afterAll(async () => {
  await workers.stop()
  await vendor.close()
})

describe('a pipeline of three actions', () => {
  it('loses no field', async () => {
    const { status, body } = await workers.post('P_THREE_STEPS', {
      content: 'text',
      deep: { a: [1] },
    })
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        pipeline: 'P_THREE_STEPS',
        duration_ms: expect.any(Number),
        total_duration_ms: body.duration_ms,
        stages: ['A_ADD_FIRST', 'A_EAT_CONTENT', 'A_ADD_THIRD'],
        steps: ['A_ADD_FIRST', 'A_EAT_CONTENT', 'A_ADD_THIRD'].map((action) => ({
          action,
          duration_ms: expect.any(Number),
        })),
        output: {
          content: 'text',
          deep: { a: [1] },
          first: 1,
          trace: { runId: expect.any(String), step: 0 },
          second: 4,
          third: 'text',
          step: { name: 'P_THREE_STEPS', step: 2 },
        },
      },
    ])
  })

  it('keeps fields that a foreign action drops, and accepts a missing output', async () => {
    expect(await workers.post('P_DROP_ALL', { content: 'x' })).toMatchObject({
      body: { success: true, output: { content: 'x', own: 1, first: 1 } },
    })
    expect(await workers.post('P_SAY_NOTHING', { content: 'x' })).toMatchObject({
      body: { success: true, output: { content: 'x', first: 1 } },
    })
  })

  it('sums up the spending of its actions', async () => {
    const response = await workers.call('P_WITH_MODEL', '/', { method: 'POST', body: '{}' })
    expect(response.status).toBe(200)
    expect(JSON.parse(response.headers.get('x-steward-spend') ?? '')).toMatchObject({ calls: 2 })
  })
})

describe('a stage that fails', () => {
  it.each([
    ['P_NEED_TEXT', 400, 'invalid_input', 'missing input "text"'],
    ['P_BREAK_DOWN', 500, 'action_failed', 'A_BREAK_DOWN failed: broken'],
    ['P_OTHER_TOKEN', 502, 'binding_missing', 'A_OTHER_TOKEN refused our AUTH_TOKEN'],
    ['P_SAY_HTML', 502, 'upstream_failed', 'status 503'],
    ['P_SAY_NO', 422, 'rejected_content', 'no'],
    ['P_SAY_ODD', 502, 'upstream_failed', 'odd'],
    ['P_THROW_RAW', 502, 'upstream_failed', 'A_THROW_RAW'],
  ])(
    '%s: keeps status, code and message, and names the stage',
    async (name, status, code, words) => {
      const answer = await workers.post(name, { content: 'x' })
      expect(answer).toMatchObject({
        status,
        body: {
          success: false,
          pipeline: name,
          code,
          error: expect.stringContaining(words),
          failed_stage: name.replace('P_', 'A_'),
          stages: ['A_ADD_FIRST', name.replace('P_', 'A_')],
        },
      })
      expect(answer.body).not.toHaveProperty('output')
    },
  )

  it('passes on how long a stage asks to wait', async () => {
    const response = await workers.call('P_SAY_HTML', '/', { method: 'POST', body: '{}' })
    const seconds = Number(response.headers.get('retry-after'))
    expect([seconds > 3500, seconds <= 3600]).toEqual([true, true])
  })

  it('names the missing field', async () => {
    expect(await workers.post('P_NEED_TEXT', {})).toMatchObject({ body: { field: 'text' } })
  })

  it('names the missing binding', async () => {
    expect(await workers.post('P_UNBOUND', {})).toMatchObject({
      status: 502,
      body: {
        code: 'binding_missing',
        failed_stage: 'A_ADD_THIRD',
        error: expect.stringContaining('this worker has no A_ADD_THIRD'),
      },
    })
  })

  it('ends at exactly 1000 subrequests', async () => {
    expect(await workers.post('P_LONGEST_CHAIN', {})).toMatchObject({ status: 200 })
    const { status, body } = await workers.post('P_LONG_CHAIN', {})
    expect([status, body.code]).toEqual([500, 'subrequest_limit'])
    expect(body.steps).toHaveLength(1001)
  })
})
