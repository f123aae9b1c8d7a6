import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hostedSettings, type StewardError } from '@steward/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { announce, execute } from '../database/tx.ts'
import { locateSession } from '../hands/sandbox/place.ts'
import { appendEvents } from '../log/append-events.ts'
import { EMPTY_SUMMARY } from '../log/summary.ts'
import type { StartHostedOptions } from './hosted-options.ts'
import { hostedPlaceOf } from './hosted-place.ts'
import { openStore } from './open-store.ts'
import { startHosted } from './start-hosted.ts'

let home: string
let failures: StewardError[]
let options: StartHostedOptions
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'steward-start-hosted-'))
  failures = []
  options = {
    home,
    env: { LLM_PROVIDER: 'offline' },
    settings: hostedSettings.parse({}),
    port: 0,
    isolation: 'none',
    report: (error) => failures.push(error),
  }
})
afterEach(() => rm(home, { recursive: true, force: true }))

test('a separate brain process removes the data of a session that another process deletes', async () => {
  const brain = await startHosted({ ...options, role: 'brain' })
  const heard = vi.fn()
  brain.hear(heard)
  const other = await openStore(options)
  const folder = locateSession(home, 'sesn_1')
  await mkdir(join(folder, 'workspace'), { recursive: true })
  await other.write(function* () {
    yield* execute(
      `INSERT INTO sessions (id, agent_id, agent_version, environment_id, body, summary, status,
         created_ms, updated_ms) VALUES ('sesn_1', 'a', 1, 'e', '{}', $1, 'idle', 0, 0)`,
      JSON.stringify(EMPTY_SUMMARY),
    )
    yield* appendEvents('sesn_1', [{ type: 'user.message' }], { nowMs: 0 })
  })
  await expect.poll(() => heard).toHaveBeenCalled()
  await other.write(function* () {
    yield* execute("DELETE FROM sessions WHERE id = 'sesn_1'")
    yield* announce({ sessionId: 'sesn_1', news: { type: 'deleted' } })
  })
  await expect.poll(() => existsSync(folder)).toBe(false)
  await other.close()
  await brain.stop()
  expect(failures).toEqual([])
})

test('a server that cannot publish its address stops listening', async () => {
  const { server } = hostedPlaceOf(home)
  await mkdir(server, { recursive: true })
  await writeFile(join(server, 'in the way'), '')
  const listening = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap')
  const before = listening().length
  await expect(startHosted({ ...options, role: 'api' })).rejects.toThrow()
  await expect.poll(() => listening()).toHaveLength(before)
})
