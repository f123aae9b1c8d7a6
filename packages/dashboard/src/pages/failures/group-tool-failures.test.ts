import type { StewardEvent } from '@steward/contract'
import { expect, it } from 'vitest'
import { groupToolFailures } from './group-tool-failures.ts'

const failure = (minute: number, session_id: string, tool_name: string): StewardEvent => ({
  timestamp: new Date(Date.UTC(2026, 2, 7, 12, minute)).toISOString(),
  source: 'tool-failure',
  type: 'tool-failure',
  session_id,
  tool_name,
  error: `at ${minute}`,
})

it('shows each tool of a session once, with its last cause', () => {
  const events = [
    failure(9, 'one', 'Bash'),
    failure(8, 'two', 'Bash'),
    failure(7, 'one', 'WebFetch'),
    failure(6, 'one', 'Bash'),
    failure(1, 'old', 'Bash'),
    { ...failure(5, 'one', 'Bash'), timestamp: '' },
  ]
  expect(groupToolFailures(events, Date.UTC(2026, 2, 7, 12, 5))).toMatchObject([
    { session: 'one', tool: 'Bash', count: 2, cause: 'at 9' },
    { session: 'two', tool: 'Bash', count: 1, cause: 'at 8' },
    { session: 'one', tool: 'WebFetch', count: 1 },
  ])
})
