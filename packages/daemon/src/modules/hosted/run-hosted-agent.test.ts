import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  BETA_FAMILIES,
  hostedSettings,
  isJsonObject,
  StewardError,
  sessionsOverview,
  settings,
} from '@steward/contract'
import * as hosted from '@steward/hosted'
import { createRedactor } from '@steward/platform'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import type { Notice } from '../../ports.ts'
import { getClient } from './find-client.ts'
import type { HostedModulePorts } from './ports.ts'
import { createEndingReports } from './report-endings.ts'
import { runHostedAgent } from './run-hosted-agent.ts'

let root: string
let server: hosted.RunningHosted
let ports: HostedModulePorts
const notices: Notice[] = []
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
const start = () =>
  hosted.startHosted({
    home: root,
    env: { LLM_PROVIDER: 'offline' },
    settings: hostedSettings.parse({ port: 0, isolation: 'none' }),
    report: (error) => {
      throw error
    },
  })

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'steward-hosted-step-'))
  server = await start()
  const own = await hosted.findOwnServer(root)
  if (own === undefined) throw new Error('there is no server')
  const create = async (what: string, body: object): Promise<void> => {
    const headers = {
      'x-api-key': own.key,
      'anthropic-beta': BETA_FAMILIES.agents,
      'content-type': 'application/json',
    }
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    const { status } = await fetch(`${own.address}/v1/${what}`, sent)
    expect(status).toBe(200)
  }
  await create('agents', { name: 'writer', model: 'offline-extractive' })
  await create('environments', { name: 'office' })
  ports = {
    home: { root },
    bus: createBus(quiet),
    log: quiet,
    now: Date.now,
    setTimer: () => () => undefined,
    notices: {
      send: async (notice) => {
        notices.push(notice)
        return { stored: true }
      },
    },
    settings: () => settings.parse({ notifications: { thresholds: { waitingSeconds: 0 } } }),
    environment: () => ({}),
    redactor: () => createRedactor({}),
    load: async () => hosted,
    fetch,
    abortAfter: AbortSignal.timeout,
  }
})
afterAll(async () => {
  await server.stop()
  rmSync(root, { recursive: true, force: true })
})

const TASK = { prompt: 'The lock is old. It opens well.', agent: 'writer', environment: 'office' }
const signal = new AbortController().signal

test('runs a task in a session and returns its answer', async () => {
  const outcome = await runHostedAgent(TASK, { key: 'run-1.0.1', signal }, ports)
  expect(outcome).toMatchObject({ stop: 'end_turn', files: [] })
  expect(outcome.answer).toContain('The lock is old.')
})

test('the end of its session is reported by the run, and not a second time', async () => {
  const report = createEndingReports(ports)
  const reportElsewhere = createEndingReports({ ...ports, home: { root: join(root, 'elsewhere') } })
  const outcome = await runHostedAgent(TASK, { key: 'run-6.0.1', signal }, ports)
  const client = await getClient(ports)
  const { sessions } = await client.overview(false)
  const row = sessions.find(({ id }) => id === outcome.session)
  expect(row).toMatchObject({ stopReason: 'end_turn' })
  await report(sessions)
  expect(notices).toEqual([])
  const failed = (id: string, given: object) => ({ ...row, id, title: id, ...given })
  const rows = [
    failed('Mail', { stopReason: 'retries_exhausted' }),
    failed('Books', { stopReason: 'budget_reached' }),
    failed('Law', { stopReason: 'refusal' }),
    failed('Old', { status: 'terminated' }),
    failed('Asks', { stopReason: 'requires_action' }),
    failed('Works', { status: 'running', stopReason: null }),
  ]
  const ended = sessionsOverview.parse({ sessions: rows, more: false }).sessions
  await reportElsewhere(ended)
  expect(notices.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    'error: Mail gave up, because the model could not be reached',
    'error: Books reached its budget',
    'error: Law refused the task',
    'error: Old was terminated',
  ])
  // A daemon that starts later does not report earlier endings.
  const later = { ...ports, home: { root: join(root, 'elsewhere') }, now: () => Date.now() + 1000 }
  await createEndingReports(later)(ended)
  expect(notices).toHaveLength(4)
})

test('a step that is repeated after a kill finds its session and pays nothing again', async () => {
  const first = await runHostedAgent(TASK, { key: 'run-2.0.1', signal }, ports)
  await server.stop()
  server = await start()
  const again = await runHostedAgent(TASK, { key: 'run-2.0.1', signal }, ports)
  expect(again).toEqual(first)
  const other = await runHostedAgent(TASK, { key: 'run-2.1.1', signal }, ports)
  expect(other.session).not.toBe(first.session)
})

test('names an agent that does not exist, and ends the wait when the run ends', async () => {
  const unknown = runHostedAgent({ ...TASK, agent: 'nobody' }, { key: 'k', signal }, ports)
  await expect(unknown).rejects.toMatchObject({ code: 'not_found' })
  const ended = AbortSignal.abort(new Error('the run ended'))
  const stopped = runHostedAgent(TASK, { key: 'run-3.0.1', signal: ended }, ports)
  await expect(stopped).rejects.toThrow('the run ended')
})

test('interrupts the session of a cancelled run, and of no other', async () => {
  const interruptsOf = async (key: string, reason: Error): Promise<number> => {
    const cancelled = runHostedAgent(TASK, { key, signal: AbortSignal.abort(reason) }, ports)
    await expect(cancelled).rejects.toBe(reason)
    const again = await runHostedAgent(TASK, { key, signal }, ports)
    const own = await hosted.findOwnServer(root)
    const headers = { 'x-api-key': own?.key ?? '', 'anthropic-beta': BETA_FAMILIES.agents }
    const address = `${own?.address}/v1/sessions/${again.session}/events?types[]=user.interrupt`
    const body: unknown = await (await fetch(address, { headers })).json()
    return isJsonObject(body) && Array.isArray(body.data) ? body.data.length : -1
  }
  expect(await interruptsOf('run-4.0.1', new StewardError('run_cancelled', { run: 'r' }))).toBe(1)
  expect(await interruptsOf('run-5.0.1', new Error('the daemon stops'))).toBe(0)
})
