import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keyOf } from '../usage/call-key.ts'
import type { UsageCall } from '../usage/usage-reader.ts'
import { claudeUsage } from './usage.ts'

const folder = (): string => mkdtempSync(join(tmpdir(), 'steward-scan-'))

const readLines = (lines: readonly string[], name = 's1.jsonl'): UsageCall[] => {
  const directory = folder()
  const path = join(directory, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  try {
    return [...(claudeUsage.sourceOf(path)?.read(undefined) ?? [])].flatMap(({ calls }) => calls)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** As the ledger stores them. */
const withKeys = (calls: readonly UsageCall[]): UsageCall[] =>
  calls.map((call) => ({
    ...call,
    id: typeof call.id === 'number' ? call.id : keyOf(`claude ${call.id}`),
  }))

const text = fc.oneof(
  fc.constantFrom('', 'a', 'main', '/work/shop', '/work/ä', 'a"b', 'C:\\shop', '<synthetic>'),
  fc.string({ maxLength: 12 }),
)
const count = fc.oneof(fc.nat(5000), fc.constantFrom(0, -1, 1.5, 1e21, '7', null, true, undefined))
const time = fc.oneof(
  fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom('2026-11-10T10:00:00Z', '2026-02-30T10:00:00.000Z', '2026-13-01T10:00:00.000Z'),
  fc.constantFrom(
    '2026-11-10T24:00:00.000Z',
    '2026-11-10T10:61:00.000Z',
    'never',
    1_794_000_000_000,
  ),
)
const row = fc.record(
  {
    type: fc.oneof(
      { weight: 5, arbitrary: fc.constant('assistant') },
      fc.constantFrom('user', 'x'),
    ),
    sessionId: text,
    requestId: text,
    agentId: text,
    cwd: text,
    gitBranch: text,
    timestamp: time,
    message: fc.record(
      {
        id: text,
        model: text,
        content: fc.constantFrom(
          [],
          [{ input: { usage: { output_tokens: 9 } } }],
          'output_tokens":9',
        ),
        usage: fc.record(
          {
            input_tokens: count,
            output_tokens: count,
            cache_read_input_tokens: count,
            cache_creation_input_tokens: count,
            cache_creation: fc.oneof(
              fc.record({ ephemeral_1h_input_tokens: count }),
              fc.constant(null),
            ),
          },
          { requiredKeys: ['output_tokens'] },
        ),
      },
      { requiredKeys: ['id', 'model', 'usage'] },
    ),
  },
  { requiredKeys: ['type', 'sessionId', 'message'] },
)

it('reads a row like a full parse of it', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
      // Rows that repeat the one before them are left out in other ways.
      const lines = rows.map((each, at) =>
        JSON.stringify({ ...each, message: { ...each.message, id: `${each.message.id}${at}` } }),
      )
      // An escape in the name of a member leaves a row to the full parse.
      const parsed = lines.map((line) => line.replace('"type"', '"typ\\u0065"'))
      expect(withKeys(readLines(lines))).toEqual(withKeys(readLines(parsed)))
    }),
    { numRuns: 300 },
  )
})

it('reads ordinary rows without a full parse', () => {
  const line = (id: string, output: number) =>
    JSON.stringify({
      type: 'assistant',
      sessionId: 's1',
      requestId: 'req_1',
      timestamp: '2026-11-10T10:00:00.123Z',
      message: { id, model: 'claude-opus-5-5', usage: { input_tokens: 3, output_tokens: output } },
    })
  const calls = readLines([line('m1', 5), line('m1', 5), line('m2', 6)], 'agent-a7.jsonl')
  const common = { session: 's1', subagent: 'a7', model: 'claude-opus-5-5' }
  const tokens = { input: 3, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
  const atMs = Date.parse('2026-11-10T10:00:00.123Z')
  expect(calls).toEqual([
    { ...common, atMs, id: keyOf('claude m1 req_1'), tokens: { ...tokens, output: 5 } },
    { ...common, atMs, id: keyOf('claude m2 req_1'), tokens: { ...tokens, output: 6 } },
  ])
})

it('counts a row with other counts for the same request again, with the most output', () => {
  const line = (output: number, read: number) =>
    JSON.stringify({
      type: 'assistant',
      sessionId: 's1',
      requestId: 'req_1',
      timestamp: '2026-11-10T10:00:00.123Z',
      message: {
        id: 'm1',
        model: 'm',
        usage: { input_tokens: 3, output_tokens: output, cache_read_input_tokens: read },
      },
    })
  const outputs = readLines([line(5, 1), line(7, 1), line(7, 2)]).map(({ tokens }) => tokens.output)
  expect(outputs).toEqual([5, 7])
})
