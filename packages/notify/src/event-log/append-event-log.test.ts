import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRedactor, resolveHome } from '@steward/platform'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendEventLog, eventLogPath } from './append-event-log.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-event-log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const portsOf = (root: string) => {
  const faults: string[] = []
  const home = resolveHome({ STEWARD_HOME: root })
  const redactor = createRedactor({ KEY: 'hunter2hunter2' })
  return {
    faults,
    ports: {
      home,
      now: () => Date.parse('2026-11-15T08:00:00Z'),
      redactor: () => redactor,
      onFault: (message: string) => faults.push(message),
    },
  }
}

test('a row is there when it returns, without secrets', () => {
  const { ports, faults } = portsOf(folder)
  const row = { session_id: 's1', source: 'voice', type: 'voice.sent' }
  appendEventLog({ ...row, text: 'key hunter2hunter2' }, ports)
  appendEventLog({ ...row, type: 'algorithm.phase', phase: 'BUILD' }, ports)
  const path = join(folder, 'MEMORY', 'STATE', 'events.jsonl')
  expect(eventLogPath(ports.home)).toBe(path)
  expect(readFileSync(path, 'utf8')).toBe(
    '{"timestamp":"2026-11-15T08:00:00.000Z","session_id":"s1","source":"voice","type":"voice.sent","text":"key [redacted:KEY]"}\n' +
      '{"timestamp":"2026-11-15T08:00:00.000Z","session_id":"s1","source":"voice","type":"algorithm.phase","phase":"BUILD"}\n',
  )
  expect(faults).toEqual([])
})

test('an unwritable path and a row without JSON form are reported, not thrown', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const blocked = portsOf(file)
  const row = { session_id: '', source: 'x', type: 'x.y' }
  appendEventLog(row, blocked.ports)
  expect(blocked.faults).toEqual([expect.stringContaining('the row cannot be appended')])
  const { ports, faults } = portsOf(folder)
  appendEventLog({ ...row, count: 1n }, ports)
  expect(faults).toHaveLength(1)
})
