import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SecurityEventDraft } from '@steward/contract'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bundleChild } from '../../../../scripts/testing/bundle-child.ts'
import { createRedactor } from '../redaction/redactor.ts'
import { HELD_BACK_TEXTS, missedRates } from '../redaction/testing/held-back-rates.ts'
import { findLeaks, SINK_CASES } from '../redaction/testing/secret-forms.ts'
import { appendSecurityEvent } from './append-security-event.ts'
import { createSecurityCounter } from './count-security-events.ts'
import { readSecurityEvents } from './read-security-events.ts'
import { buildSecurityRow, CHAIN_START } from './security-row.ts'
import { verifySecurityLog } from './verify-security-log.ts'

let home: { security: string }
beforeEach(() => {
  home = { security: join(mkdtempSync(join(tmpdir(), 'steward-security-log-')), 'SECURITY') }
})
afterEach(() => rmSync(join(home.security, '..'), { recursive: true, force: true }))

const redactor = createRedactor({ KEY: 'a-very-secret-value' })
const draft = (target: string, more: Partial<SecurityEventDraft> = {}): SecurityEventDraft => ({
  session_id: 's',
  host: 'claude',
  tool: 'Bash',
  verdict: 'deny',
  rule: 'bash.blocked: x',
  reason: 'because',
  target,
  ...more,
})
const DAY = '2026-03-31T12:00:00.000Z'
const append = (target: string, at = DAY, more: Partial<SecurityEventDraft> = {}) =>
  appendSecurityEvent(home, draft(target, more), { redactor, now: () => Date.parse(at) })
const file = (name = '2026/03/security-2026-03-31.jsonl') => join(home.security, name)
const lines = (name?: string) => readFileSync(file(name), 'utf8').trimEnd().split('\n')
const write = (rows: readonly string[], name?: string) =>
  writeFileSync(file(name), rows.map((row) => `${row}\n`).join(''))
const read = (limit: number, before?: string) =>
  readSecurityEvents(home, { limit, ...(before === undefined ? {} : { before }) }, redactor)

describe('the chain', () => {
  it('is empty and sound before the first event', async () => {
    expect(await verifySecurityLog(home)).toEqual({ ok: true, rows: 0, torn: 0 })
  })

  it('continues over days, months and a clock that is set back; secrets are masked', async () => {
    await append('curl -H "Authorization: Bearer abcdefghijkl" a-very-secret-value')
    await append('two', '2026-04-01T00:00:00.000Z')
    await append('three', '2026-03-01T00:00:00.000Z')
    await append('x'.repeat(2000), '2027-01-01T00:00:00.000Z', { shadow: true })
    expect(lines()).toHaveLength(1)
    expect(lines()[0]).not.toMatch(/a-very-secret|abcdefghijkl/)
    expect(lines('2026/04/security-2026-04-01.jsonl')).toHaveLength(2)
    expect(await verifySecurityLog(home)).toEqual({ ok: true, rows: 4, torn: 0 })
    const { events } = await read(10)
    expect(events.map(({ seq, shadow, event_type }) => [seq, shadow, event_type])).toEqual([
      [4, true, 'block'],
      [3, false, 'block'],
      [2, false, 'block'],
      [1, false, 'block'],
    ])
    expect(events[0]?.target).toHaveLength(500)
  })

  it('is one chain for several processes, some of them killed', async () => {
    const source = join(import.meta.dirname, 'testing/append-events.ts')
    const program = await bundleChild(source, dirname(home.security))
    const start = (name: string, count: number) =>
      spawn(process.execPath, [program, home.security, name, String(count)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    const whole = [start('a', 12), start('b', 12)]
    const killed = start('c', 10_000)
    killed.stdout.once('data', () => killed.kill('SIGKILL'))
    const statuses = await Promise.all(
      [...whole, killed].map((child) => once(child, 'close').then(([status]: unknown[]) => status)),
    )
    expect(statuses).toEqual([0, 0, null])
    await append('after', new Date().toISOString())
    const check = await verifySecurityLog(home)
    expect(check).toMatchObject({ ok: true })
    expect(check.rows).toBeGreaterThanOrEqual(26)
  })
})

describe('verification', () => {
  const fill = async (count = 5) => {
    for (let n = 1; n <= count; n++) await append(`t${n}`)
  }
  const why = async () => (await verifySecurityLog(home)).firstBroken

  it('finds a row that was changed, whatever was changed in it', async () => {
    await fill()
    const rows = lines()
    write(rows.with(2, (rows[2] ?? '').replace('"t3"', '"t9"')))
    expect(await why()).toMatchObject({ line: 3, why: expect.stringContaining('changed') })
    write(rows.with(2, (rows[2] ?? '').replace('{', '{ ')))
    expect(await why()).toMatchObject({ line: 3 })
    write(rows.with(2, (rows[2] ?? '').replace('{', '{"target":"mine",')))
    expect(await why()).toMatchObject({ line: 3 })
    write(rows.with(2, '{"verdict":"pass"}'))
    expect(await why()).toMatchObject({ line: 3, why: expect.stringContaining('not a row') })
    write(rows)
    expect(await why()).toBeUndefined()
  })

  it('finds rows that were taken out, exchanged, doubled or cut off, and files that are gone', async () => {
    await fill()
    await append('next', '2026-04-01T00:00:00.000Z')
    const rows = lines()
    const [a = '', b = '', c = '', d = '', e = ''] = rows
    write([a, b, d, e])
    expect(await why()).toMatchObject({ line: 3, why: 'a row is missing before row 4' })
    write([a, c, b, d, e])
    expect(await why()).toMatchObject({ line: 2 })
    write([a, b, b, c, d, e])
    expect(await why()).toMatchObject({ line: 3, why: expect.stringContaining('inserted') })
    write([b, c, d, e])
    expect(await why()).toMatchObject({ line: 1 })
    rmSync(file())
    expect(await why()).toMatchObject({ line: 1, why: '5 rows are missing before row 6' })
    write(rows)
    rmSync(file('2026/04/security-2026-04-01.jsonl'))
    expect(await why()).toMatchObject({ line: 0, why: expect.stringContaining('it was cut') })
  })

  it('detects a rewritten row with a new hash by the row after it', async () => {
    await fill()
    const rows = lines()
    const forge = (at: number): string => {
      const { hash: _hash, ...row }: Record<string, unknown> = JSON.parse(rows[at] ?? '')
      const forged = { ...row, target: 'harmless' }
      const hash = createHash('sha256').update(JSON.stringify(forged)).digest('hex')
      return JSON.stringify({ ...forged, hash })
    }
    write(rows.with(2, forge(2)))
    expect(await why()).toMatchObject({ line: 4, why: expect.stringContaining('was replaced') })
    write(rows.with(4, forge(4)))
    expect(await why()).toMatchObject({ file: 'head.json', why: expect.stringContaining('row 5') })
  })

  it('detects changes of the head', async () => {
    await fill(2)
    rmSync(file('head.json'))
    expect(await why()).toMatchObject({ file: 'head.json', why: expect.stringContaining('gone') })
    writeFileSync(file('head.json'), 'rubbish')
    expect(await why()).toMatchObject({ file: 'head.json' })
  })

  it('keeps showing a truncation after later events, which report it too', async () => {
    await fill()
    write(lines().slice(0, 3))
    await append('later')
    expect(await why()).toMatchObject({ line: 4, why: '2 rows are missing before row 6' })
    const { events } = await read(2)
    expect(events.map(({ rule, target }) => [rule, target])).toEqual([
      ['bash.blocked: x', 'later'],
      ['builtin:security-log', 'MEMORY/SECURITY'],
    ])
    rmSync(file('head.json'))
    await append('again')
    expect((await read(2)).events[1]?.reason).toContain('head')
  })

  it('counts a torn line and continues, at the end and after it', async () => {
    await fill(2)
    appendFileSync(file(), '{"timestamp":"2026')
    expect(await verifySecurityLog(home)).toEqual({ ok: true, rows: 2, torn: 1 })
    await append('t3')
    expect(await verifySecurityLog(home)).toEqual({ ok: true, rows: 3, torn: 1 })
  })

  it('accepts a row whose writer was killed before it wrote the head', async () => {
    await fill(1)
    const head = readFileSync(file('head.json'))
    await append('t2')
    writeFileSync(file('head.json'), head)
    expect(await verifySecurityLog(home)).toMatchObject({ ok: true, rows: 2 })
    await append('t3')
    expect(await verifySecurityLog(home)).toMatchObject({ ok: true, rows: 3 })
  })

  it('notices any change of any byte that is a row', async () => {
    await append('t1', DAY, { reason: 'ünïcode \ud800 "quoted"', session_id: '__proto__' })
    await fill(2)
    const whole = readFileSync(file())
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const changed = Buffer.from(whole)
          changed[at] = ((changed[at] ?? 0) + by) % 256
          writeFileSync(file(), changed)
          const { ok, rows } = await verifySecurityLog(home)
          // The line break after the last row is not part of it.
          expect(ok && rows === 3).toBe(false)
        },
      ),
      { numRuns: 60 },
    )
    truncateSync(file())
    expect(await verifySecurityLog(home)).toMatchObject({ ok: false, rows: 0 })
  })
})

describe('readSecurityEvents', () => {
  it('reads the camel-case fields of version 5 and adds what its dashboard shows', async () => {
    mkdirSync(file('2026/05'), { recursive: true })
    const row = {
      sessionId: 's5',
      eventType: 'block',
      tool: 'Bash',
      actionTaken: 'Hard block',
      target: 'rm',
    }
    writeFileSync(
      file('2026/05/v5.jsonl'),
      `${JSON.stringify({ timestamp: '2026-05-01T00:00:00Z', ...row })}\n`,
    )
    expect((await read(5)).events).toMatchObject([
      {
        session_id: 's5',
        verdict: 'deny',
        event_type: 'block',
        category: 'bash_command',
        action_taken: 'Hard block',
      },
    ])
  })

  it('counts the kinds of version 5 as its dashboard does, and drops none', async () => {
    mkdirSync(file('2026/05'), { recursive: true })
    const kinds = [
      ['block', 'Bash', 'Hard block'],
      ['block', 'UserPrompt', 'Blocked prompt'],
      ['confirm', 'Bash', 'Asked'],
      ['alert', 'Read', 'Logged'],
      ['injection', 'WebFetch', 'Warned'],
      ['exfiltration', 'UserPrompt', 'Blocked prompt'],
    ]
    for (const [n, [eventType, tool, actionTaken]] of kinds.entries()) {
      const row = { timestamp: `2026-05-01T00:00:0${n}.000Z`, sessionId: 's5', eventType, tool }
      // It writes one indented object per file.
      writeFileSync(
        file(`2026/05/security-${eventType}-${n}.jsonl`),
        JSON.stringify({ ...row, target: 't', findingId: `F-${n}`, actionTaken }, null, 2),
      )
    }
    const { events } = await read(9)
    expect(events.map(({ verdict, category, rule }) => `${rule} ${verdict} ${category}`)).toEqual([
      'F-5 deny prompt',
      'F-4 alert bash_command',
      'F-3 alert path_access',
      'F-2 ask bash_command',
      'F-1 deny prompt',
      'F-0 deny bash_command',
    ])
    const count = createSecurityCounter(home)
    expect(await count(Date.parse('2026-05-02T00:00:00Z'), redactor)).toMatchObject({
      blocks: 3,
      confirms: 1,
      alerts: 1,
      injections: 1,
      total: 6,
    })
  })

  it('pages over months, each event once, those of predecessors in their place', async () => {
    for (let n = 1; n <= 5; n++) await append(`t${n}`, `2026-03-3${n > 3 ? 1 : 0}T0${n}:00:00.000Z`)
    await append('t6', '2026-04-02T00:00:00.000Z')
    mkdirSync(file('2025/12'), { recursive: true })
    const old = { event_type: 'injection_detected', tool: 'prompt', pattern_matched: 'p' }
    writeFileSync(
      file('2025/12/security-1.jsonl'),
      JSON.stringify({ ...old, timestamp: '2025-12-01T00:00:00Z', target: 'o1' }, null, 2),
    )
    writeFileSync(
      file('2026/03/old.jsonl'),
      `rubbish\n${JSON.stringify({ ...old, timestamp: '2026-03-30T02:30:00Z', target: 'o2' })}\n`,
    )
    const targets: string[] = []
    let before: string | undefined
    for (;;) {
      const page = await read(2, before)
      targets.push(...page.events.map(({ target }) => target))
      before = page.events.at(-1)?.id
      if (!page.more) break
    }
    expect(targets).toEqual(['t6', 't5', 't4', 't3', 'o2', 't2', 't1', 'o1'])
    expect((await read(20)).events.at(-1)).toMatchObject({ verdict: 'deny', rule: 'p', host: '' })
    expect(await verifySecurityLog(home)).toMatchObject({ ok: true, rows: 6 })
    await expect(read(2, 'nonsense')).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(read(2, '2026/03:99')).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

describe('counts', () => {
  it('distinguishes enforced from shadow events, by rule and by time', async () => {
    const count = createSecurityCounter(home)
    const now = Date.parse('2026-04-02T00:00:00Z')
    await append('old', '2026-02-01T00:00:00.000Z', { timestamp: '2026-02-01T00:00:00.000Z' })
    await append('a', DAY, { timestamp: '2026-03-10T00:00:00.000Z', shadow: true })
    await append('b', DAY, { timestamp: DAY, shadow: true })
    await append('c', DAY, { timestamp: DAY, verdict: 'ask', rule: 'other' })
    await append('d', DAY, { timestamp: DAY, rule: 'prompt.injection' })
    const first = await count(now, redactor)
    expect(first).toMatchObject({ total: 4, shadowed: 2, confirms: 1, injections: 1, blocks: 0 })
    expect(first.byRule[0]).toEqual({
      rule: 'bash.blocked: x',
      verdict: 'deny',
      shadow: true,
      last7Days: 1,
      last30Days: 2,
      lastAt: DAY,
    })
    await append('e', DAY, { timestamp: DAY })
    expect(await count(now, redactor)).toMatchObject({ total: 5, blocks: 1 })
  })
})

it('contains no form of a secret', async () => {
  for (const { text } of SINK_CASES) await append(text, DAY, { reason: `because of ${text}` })
  expect(lines()).toHaveLength(SINK_CASES.length)
  expect(findLeaks(lines().join('\n'))).toEqual([])
  expect(findLeaks(JSON.stringify((await read(100)).events))).toEqual([])
})

it('shows the held-back texts with the required rates', async () => {
  await append('the file of the day', DAY)
  let end = CHAIN_START
  const rows = HELD_BACK_TEXTS.map((text) => {
    const event = draft(text, { reason: `because of ${text}` })
    const row = buildSecurityRow(event, end, new Date(DAY), redactor)
    end = row
    return JSON.stringify(row)
  })
  expect(missedRates(rows)).toEqual([])
  write(rows)
  const { events } = await read(HELD_BACK_TEXTS.length)
  expect(missedRates(events.toReversed().map((row) => JSON.stringify(row)))).toEqual([])
})
