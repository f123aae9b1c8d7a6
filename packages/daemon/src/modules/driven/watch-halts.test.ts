import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StewardEvent } from '@steward/contract'
import { resolveHome, writeHalt } from '@steward/platform'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { watchHalts } from './watch-halts.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-halts-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const rowOf = (session_id: string): StewardEvent => ({
  ...{ timestamp: '2026-11-17T12:00:00Z', session_id, source: 'tool-activity', type: 'tool_use' },
})

it('stops a driven session that observers halted, at its next event, and no other', async () => {
  const home = resolveHome({ STEWARD_HOME: root })
  mkdirSync(home.stateDir, { recursive: true })
  const lines: string[] = []
  const say = (line: string): void => void lines.push(line)
  const log = { info: say, warn: say, error: say }
  const bus = createBus(log)
  const live = new Set(['driven', 'other'])
  const stopped: string[] = []
  const end = watchHalts({
    ...{ home, bus, log, isLive: (id) => live.has(id) },
    stop: async (id, reason) => {
      live.delete(id)
      stopped.push(`${id}: ${reason}`)
    },
  })
  const at = '2026-11-17T12:00:00Z'
  await writeHalt(home, { session_id: 'driven', reason: 'it drifted', at, by: 'observers' })
  await writeHalt(home, { session_id: 'manual', reason: 'too much', at, by: 'a budget' })
  bus.publish('events.arrived', { events: [rowOf('manual')] })
  bus.publish('events.arrived', { events: [rowOf('driven'), rowOf('other')] })
  await expect.poll(() => stopped).toEqual(['driven: it was halted by observers: it drifted'])
  end()
  expect(lines).toEqual([])
})
