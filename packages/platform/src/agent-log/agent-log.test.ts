import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { followAgentLog, readRecentAgentEvents } from './agent-log.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-agent-log-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const append = (name: string, ...rows: object[]) => {
  mkdirSync(join(root, 'MEMORY/OBSERVABILITY'), { recursive: true })
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  appendFileSync(join(root, 'MEMORY/OBSERVABILITY', `${name}.jsonl`), lines)
}
const at = (second: number) => new Date(second * 1000).toISOString()

it('is empty without logs, and sees them appear', async () => {
  const log = await followAgentLog({ root })
  expect([log.recent, await log.read()]).toEqual([{ events: [] }, []])
  append('subagent-events', { timestamp: at(1), event: 'subagent_start', subagent_id: 'a' })
  append('tool-failures', { timestamp: at(2), session_id: 's' })
  const events = await log.read()
  expect(events.map(({ source, type }) => [source, type])).toEqual([
    ['subagent', 'subagent_start'],
    ['tool-failure', 'tool-failure'],
  ])
  expect(await log.read()).toEqual([])
  await log.close()
})

it('reads a bounded number of old rows and reports from when they are complete', async () => {
  append('tool-activity', ...Array.from({ length: 1500 }, (_, n) => ({ timestamp: at(n) })))
  append('subagent-events', { timestamp: at(3), event: 'subagent_start' })
  const { events, knownSince } = await readRecentAgentEvents({ root })
  expect([events.length, knownSince]).toEqual([1001, 500_000])
})

it('reads short logs completely', async () => {
  append('tool-activity', { timestamp: at(1) })
  expect((await readRecentAgentEvents({ root })).knownSince).toBeUndefined()
})
