import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { API } from '@steward/contract'
import { expect, test, vi } from 'vitest'
import { askUsage, callRoute, createUsagePlace } from './testing/open-usage.ts'

const attributesOf = (values: Record<string, string>) =>
  Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }))
const logsOf = (...records: object[]) => ({
  resourceLogs: [{ scopeLogs: [{ logRecords: records }] }],
})

test('counts what was sent once: metrics, then logs, then the transcript', async () => {
  const place = createUsagePlace()
  const module = place.open()
  await module.start?.()
  const point = (attributes: Record<string, string>, asDouble: number) => ({
    attributes: attributesOf({ 'session.id': 's1', model: 'claude-opus-5-5', ...attributes }),
    startTimeUnixNano: `${Date.now() - 1000}000000`,
    timeUnixNano: `${Date.now()}000000`,
    asDouble,
  })
  const sum = (name: string, ...dataPoints: object[]) => ({
    name,
    sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints },
  })
  const metrics = {
    resourceMetrics: [
      {
        scopeMetrics: [
          {
            metrics: [
              sum('claude_code.cost.usage', point({}, 0.5)),
              sum(
                'claude_code.token.usage',
                point({ type: 'input', query_source: 'main' }, 9),
                point({ type: 'input', query_source: 'subagent' }, 1),
                point({ type: 'output' }, 20),
                point({ type: 'cacheRead' }, 30),
              ),
            ],
          },
        ],
      },
    ],
  }
  await callRoute(module, API.receiveOtlpMetrics, metrics)
  await callRoute(module, API.receiveOtlpMetrics, metrics)
  await vi.waitFor(async () =>
    expect((await askUsage(module)).total).toMatchObject({
      input_tokens: 10,
      output_tokens: 20,
      cache_read_tokens: 30,
      reported_usd: 0.5,
    }),
  )
  const attributes = attributesOf({
    'event.name': 'api_request',
    'session.id': 's1',
    model: 'claude-opus-5-5',
    input_tokens: '10',
    output_tokens: '20',
    cost_usd: '0.25',
  })
  const logs = logsOf({ timeUnixNano: `${Date.now()}000000`, attributes })
  await callRoute(module, API.receiveOtlpLogs, logs)
  await callRoute(module, API.receiveOtlpLogs, logs)
  await callRoute(module, API.receiveOtlpMetrics, metrics)
  expect((await askUsage(module)).total).toMatchObject({ calls: 1, reported_usd: 0.25 })
  place.append('1')
  await vi.waitFor(async () =>
    expect((await askUsage(module)).total).toMatchObject({ calls: 1, reported_usd: 0 }),
  )
  await callRoute(module, API.receiveOtlpLogs, logs)
  await callRoute(module, API.receiveOtlpMetrics, metrics)
  expect((await askUsage(module)).total.calls).toBe(1)
  const served = await callRoute(module, API.getMetrics)
  const text = served instanceof Response ? await served.text() : ''
  expect(text).toContain(
    'steward_usage_tokens_total{assistant="claude",model="claude-opus-5-5",type="output"} 20\n',
  )
  await module.stop?.()
})

test('asks for a call again while an import locks the ledger', async () => {
  const place = createUsagePlace()
  const module = place.open()
  await module.start?.()
  const attributes = attributesOf({
    'event.name': 'api_request',
    'session.id': 's1',
    model: 'claude-opus-5-5',
    input_tokens: '10',
    output_tokens: '20',
  })
  const logs = logsOf({ timeUnixNano: `${Date.now()}000000`, attributes })
  const importing = new DatabaseSync(join(place.home.databases, 'usage.sqlite'))
  importing.exec('BEGIN IMMEDIATE')
  const refused = await callRoute(module, API.receiveOtlpLogs, logs)
  expect(refused).toMatchObject({ status: 503 })
  importing.exec('ROLLBACK')
  importing.close()
  await callRoute(module, API.receiveOtlpLogs, logs)
  expect((await askUsage(module)).total.calls).toBe(1)
  await module.stop?.()
})

test('counts a call that Claude Code sent before it was killed, and once if its row follows', async () => {
  const place = createUsagePlace()
  const module = place.open()
  await module.start?.()
  place.append('1')
  await vi.waitFor(async () => expect((await askUsage(module)).total.calls).toBe(1))
  const sent = (input: string, atMs: number) =>
    logsOf({
      timeUnixNano: `${atMs}000000`,
      attributes: attributesOf({
        'event.name': 'api_request',
        'session.id': 's1',
        model: 'claude-opus-5-5',
        input_tokens: input,
        output_tokens: '20',
      }),
    })
  const atMs = Date.now()
  await callRoute(module, API.receiveOtlpLogs, sent('10', atMs))
  await callRoute(module, API.receiveOtlpLogs, sent('30', atMs + 1))
  expect((await askUsage(module)).total).toMatchObject({ calls: 2, input_tokens: 40 })
  place.append('2', 's1', 50)
  expect((await askUsage(module)).total).toMatchObject({ calls: 3, input_tokens: 90 })
  place.append('3', 's1', 30)
  await vi.waitFor(async () =>
    expect((await askUsage(module)).total).toMatchObject({ calls: 3, input_tokens: 90 }),
  )
  expect(await module.sessions.of('s1')).toMatchObject({ parts: [{ source: 'record', calls: 3 }] })
  await module.stop?.()
})

test('counts sums of Gemini since its start, and logs of Codex, whose time is elsewhere', async () => {
  const place = createUsagePlace()
  const module = place.open()
  await module.start?.()
  const start = Date.now() - 5000
  const report = (input: number, output: number) => {
    const point = (type: string, asInt: string, since: number) => ({
      attributes: attributesOf({ 'session.id': 'g1', model: 'gemini-2.5-pro', type }),
      startTimeUnixNano: `${start + since}000000`,
      timeUnixNano: `${start + input}000000`,
      asInt,
    })
    const dataPoints = [
      point('input', String(input), 0),
      point('output', String(output), 0),
      point('cache', '1000', 1),
      point('thought', '5', 1),
    ]
    const sum = { aggregationTemporality: 2, isMonotonic: true, dataPoints }
    return {
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'gemini_cli.token.usage', sum }] }] }],
    }
  }
  await callRoute(module, API.receiveOtlpMetrics, report(1106, 18))
  await callRoute(module, API.receiveOtlpMetrics, report(2212, 36))
  const codex = (nanos: string, output: string) => ({
    timeUnixNano: '0',
    observedTimeUnixNano: nanos,
    attributes: attributesOf({
      'event.name': 'codex.sse_event',
      'event.kind': 'response.completed',
      'conversation.id': 't1',
      model: 'gpt-5.6',
      input_token_count: '1108',
      output_token_count: output,
      cached_token_count: '1004',
      cache_write_token_count: '4',
    }),
  })
  const nanos = `${start}000001`
  await callRoute(
    module,
    API.receiveOtlpLogs,
    logsOf(codex(`${start}000000`, '24'), codex(nanos, '24')),
  )
  await vi.waitFor(async () =>
    expect((await askUsage(module)).total).toMatchObject({
      calls: 3,
      input_tokens: 1212 + 2 * 100,
      output_tokens: 41 + 2 * 24,
      cache_read_tokens: 1000 + 2 * 1004,
      cache_write_tokens: 2 * 4,
    }),
  )
  await module.stop?.()
})
