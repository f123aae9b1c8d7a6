import { createRedactor } from '@steward/memory'
import { expect, test } from 'vitest'
import { readHostEvent } from '../read-host-event.ts'
import { buildRow } from './build-row.ts'
import { createClipText } from './clip-text.ts'

const AT = '2026-11-15T08:00:00.000Z'
const clip = createClipText(createRedactor({}))

test('a turn that ends in an error is a row of its own, with what the host says of it', () => {
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
