import { expect, test } from 'vitest'
import { decodeOtlp } from './decode-otlp.ts'

const bytes = (...parts: Array<number | readonly number[]>): number[] => parts.flat()
const field = (number: number, inner: readonly number[]): number[] =>
  bytes((number << 3) | 2, inner.length, inner)
const text = (number: number, value: string): number[] =>
  field(number, [...new TextEncoder().encode(value)])
const fixed = (number: number, value: bigint): number[] => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, value, true)
  return bytes((number << 3) | 1, [...new Uint8Array(view.buffer)])
}
const double = (number: number, value: number): number[] => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value, true)
  return bytes((number << 3) | 1, [...new Uint8Array(view.buffer)])
}
const attribute = (key: string, value: readonly number[]): number[] =>
  bytes(text(1, key), field(2, value))

test('reads logs as the JSON of OTLP', () => {
  const record = bytes(
    fixed(1, 0n),
    [0x10, 9],
    field(5, text(1, 'claude_code.api_request')),
    field(6, attribute('session.id', text(1, 's1'))),
    field(6, attribute('input_tokens', [0x18, 0xd4, 0x08])),
    field(6, attribute('cost_usd', double(4, 0.25))),
    fixed(11, 1794891819657727733n),
  )
  const request = field(1, bytes(field(1, []), field(2, field(2, record))))
  expect(decodeOtlp('logs', new Uint8Array(request))).toEqual({
    resourceLogs: [
      {
        resource: {},
        scopeLogs: [
          {
            logRecords: [
              {
                timeUnixNano: '0',
                observedTimeUnixNano: '1794891819657727733',
                body: { stringValue: 'claude_code.api_request' },
                attributes: [
                  { key: 'session.id', value: { stringValue: 's1' } },
                  { key: 'input_tokens', value: { intValue: '1108' } },
                  { key: 'cost_usd', value: { doubleValue: 0.25 } },
                ],
              },
            ],
          },
        ],
      },
    ],
  })
})

test('reads sums of metrics', () => {
  const point = bytes(fixed(2, 5n), fixed(3, 7n), fixed(6, 42n), field(7, text(1, 'type')))
  const metric = bytes(text(1, 'tokens'), field(7, bytes(field(1, point), [0x10, 2, 0x18, 1])))
  const request = field(1, field(2, field(2, metric)))
  const sum = {
    dataPoints: [
      { startTimeUnixNano: '5', timeUnixNano: '7', asInt: '42', attributes: [{ key: 'type' }] },
    ],
    aggregationTemporality: 2,
    isMonotonic: true,
  }
  expect(decodeOtlp('metrics', new Uint8Array(request))).toEqual({
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'tokens', sum }] }] }],
  })
  expect(decodeOtlp('traces', new Uint8Array())).toEqual({ resourceSpans: [] })
})

test('refuses bytes that are cut off or no protobuf', () => {
  for (const broken of [[0x0a, 5, 1], [0x0a], [0x0f, 1], [0x08, ...Array(11).fill(0xff)]]) {
    expect(() => decodeOtlp('logs', new Uint8Array(broken))).toThrow('the OTLP request')
  }
})
