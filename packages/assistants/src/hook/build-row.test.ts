import { createRedactor } from '@steward/platform'
import { expect, test } from 'vitest'
import { readHostEvent } from '../assistants.ts'
import { buildRow } from './build-row.ts'
import { createClipText } from './clip-text.ts'

const AT = '2026-11-15T08:00:00.000Z'
const clip = createClipText(createRedactor({}))

test("a turn that ends in an error is a separate row, with the host's message", () => {
  const payload = {
    session_id: 's1',
    hook_event_name: 'StopFailure',
    error: 'rate_limit',
    error_details: 'x'.repeat(5000),
  }
  const built = buildRow(readHostEvent('claude', payload, 'StopFailure'), AT, clip)
  expect(built).toMatchObject({
    source: 'tool-activity',
    row: { type: 'stop_failure', event: 'stop_failure', session_id: 's1', error: 'rate_limit' },
  })
  expect(String(built?.row.error_details).length).toBeLessThanOrEqual(301)
})

test('of OpenCode it is session.error', () => {
  const payload = {
    event: 'session.error',
    input: { sessionID: 's2', error: { name: 'ProviderAuthError', data: { message: 'no key' } } },
  }
  const built = buildRow(readHostEvent('opencode', payload, 'session.error'), AT, clip)
  expect(built?.row.type).toBe('stop_failure')
})

test('the end of a turn records session crons: without secrets, shortened, and without invalid ones', () => {
  const cron = { id: 'c1', schedule: '*/5 * * * *', recurring: true, prompt: 'look at the build' }
  const stop = (session_crons: unknown) =>
    buildRow(
      readHostEvent('claude', { session_id: 's1', hook_event_name: 'Stop', session_crons }),
      AT,
      clip,
    )?.row.session_crons
  expect(stop([cron])).toEqual([cron])
  expect(stop([])).toEqual([])
  expect(stop(undefined)).toBeUndefined()
  expect(stop('none')).toBeUndefined()
  expect(stop([null, 3, { prompt: 'x'.repeat(5000), recurring: false }])).toEqual([
    { id: '', schedule: '', recurring: false, prompt: `${'x'.repeat(299)}…` },
  ])
  expect(stop(new Array(500).fill(cron))).toHaveLength(50)
})

test('the start of a session belongs to its log, and says how the session began', () => {
  const payload = { session_id: 's1', hook_event_name: 'SessionStart', source: 'resume' }
  const built = buildRow(readHostEvent('claude', payload), AT, clip)
  expect(built?.row).toMatchObject({ source: 'tool-activity', start_source: 'resume' })
})

test('the end of a turn counts the work in the background, and not the watchdog of the session', () => {
  const shell = (command: string) => ({ id: 'b1', type: 'shell', status: 'running', command })
  const stop = (...background_tasks: object[]) =>
    buildRow(
      readHostEvent('claude', { session_id: 's1', hook_event_name: 'Stop', background_tasks }),
      AT,
      clip,
    )?.row.background_tasks
  expect(stop()).toBe(0)
  expect(stop(shell('node "/c/plugin/../packages/cli/bin/steward.mjs" watchdog'))).toBe(0)
  expect(stop(shell('npx steward watchdog --only a1'), shell('npm test'))).toBe(1)
  expect(stop({ id: 'a1', type: 'subagent', status: 'running' })).toBe(1)
})
