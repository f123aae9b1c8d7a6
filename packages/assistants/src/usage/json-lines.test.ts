import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { codexUsage } from '../codex/usage.ts'

/** More than is read at once. */
const PADDING = 'x'.repeat(600 * 1024)

const row = (type: string, payload: object) =>
  `${JSON.stringify({ timestamp: '2026-11-10T10:00:00Z', type, payload })}\n`
const count = (total: number) =>
  row('event_msg', {
    type: 'token_count',
    info: { total_token_usage: { output_tokens: total, total_tokens: total } },
  })

it('remembers with each part of a file what was known at its end, so that a read can stop there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-lines-'))
  const path = join(folder, 'rollout-1.jsonl')
  const meta = row('session_meta', { id: 't1', padding: PADDING })
  writeFileSync(path, [meta, count(10), row('other', { padding: PADDING }), count(25)].join(''))
  const outputs = (mark?: Parameters<NonNullable<typeof source>['read']>[0]) =>
    [...(source?.read(mark) ?? [])].flatMap(({ calls }) => calls.map((call) => call.tokens.output))
  const source = codexUsage.sourceOf(path)
  const parts = [...(source?.read(undefined) ?? [])]
  expect(parts.length).toBeGreaterThan(1)
  expect(outputs()).toEqual([10, 15])
  for (const [place, part] of parts.entries()) {
    const read = parts.slice(0, place + 1).flatMap(({ calls }) => calls)
    expect(read.length + outputs(part.mark).length).toBe(2)
  }
  rmSync(folder, { recursive: true })
})
