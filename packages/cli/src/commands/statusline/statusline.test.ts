import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'
import { installStatusline } from './install-statusline.ts'
import { renderLine } from './print-status.ts'

const settings = z.object({ statusLine: z.object({ command: z.string() }) })
const NOW = Date.parse('2026-11-16T18:00:00Z')
const SUMMARY = {
  day: '2026-11-16T12:00:00Z',
  today_usd: 3.416,
  sessions: { s1: 0.8 },
  windows: [
    {
      assistant: 'claude',
      kind: 'five_hours',
      used_percent: 41.7,
      resets_at: '2026-11-16T20:00:00Z',
    },
  ],
  waiting: 2,
}

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-statusline-'))
  mkdirSync(join(root, 'home/MEMORY/STATE'), { recursive: true })
  mkdirSync(join(root, '.claude'))
  writeFileSync(join(root, 'home/MEMORY/STATE/statusline.json'), JSON.stringify(SUMMARY))
  writeFileSync(join(root, '.claude/settings.json'), '{"model":"opus"}')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const run = async (...args: string[]) => {
  const io = memoryIo({
    args: ['statusline', ...args],
    env: { STEWARD_HOME: join(root, 'home') },
    homedir: root,
    cwd: root,
    now: () => NOW,
  })
  const code = await runCli(io)
  return { code, out: io.out.text(), err: io.err.text() }
}

test('shows cost of the day, window and waiting requests for tmux', async () => {
  expect((await run('--for', 'tmux')).out).toBe('$3.42 today · 5 h 42 % · 2 waiting\n')
})

test('prefers what Claude Code says about its session and limits', () => {
  const given = { session_id: 's1', rate_limits: { seven_day: { used_percentage: 12 } } }
  expect(renderLine(given, SUMMARY, NOW)).toBe(
    '$3.42 today · $0.80 session · 5 h 42 % · week 12 % · 2 waiting',
  )
  expect(renderLine({ ...given, cost: { total_cost_usd: 0.9 } }, {}, NOW)).toBe(
    '$0.90 session · week 12 %',
  )
  const nextDay = NOW + 86_400_000
  expect(renderLine({}, { ...SUMMARY, waiting: 0 }, nextDay)).toBe('steward: no usage yet')
})

test('says that a price is unknown, and shows no cost of 0 for it', () => {
  const summary = { ...SUMMARY, today_is_partial: true, partial_sessions: ['s1', 's2'], waiting: 0 }
  const line = (session: string, sessions: object) =>
    renderLine({ session_id: session }, { ...summary, windows: [], sessions }, NOW)
  expect(line('s1', { s1: 0.8 })).toBe('at least $3.42 today · at least $0.80 session')
  expect(line('s2', { s2: 0 })).toBe('at least $3.42 today · session: price unknown')
  expect(line('s3', { s3: 0 })).toBe('at least $3.42 today · $0.00 session')
})

test('installs itself once, and never over another status line', async () => {
  const path = join(root, '.claude/settings.json')
  const line = { type: 'command', command: 'steward statusline' }
  writeFileSync(path, JSON.stringify({ model: 'opus', statusLine: line }))
  expect((await run('--install')).out).toContain('added to')
  expect((await run('--install')).out).toContain('already in')
  const { command } = settings.parse(JSON.parse(readFileSync(path, 'utf8'))).statusLine
  // A shell without a PATH shows it, for the data home that it was installed from.
  const shown = spawnSync('/bin/sh', ['-c', command], { env: {}, input: '{}', encoding: 'utf8' })
  expect(shown.stderr).toBe('')
  expect(shown.stdout).toBe('2 waiting\n')
  expect(await installStatusline({ env: {}, homedir: root }, false)).toContain('added to')
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ model: 'opus', statusLine: line })
  writeFileSync(path, '{"statusLine":{"type":"command","command":"mine"}}')
  expect((await run('--install')).code).toBe(2)
})
