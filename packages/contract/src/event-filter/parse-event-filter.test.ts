import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { StewardEvent } from '../event.ts'
import { parseEventFilter } from './parse-event-filter.ts'

const NOW = Date.parse('2026-11-15T10:00:00Z')
const EVENTS: StewardEvent[] = [
  {
    timestamp: '2026-11-15T09:59:30Z',
    session_id: 'abc-1',
    source: 'tool-activity',
    type: 'tool_use',
    tool_name: 'Bash',
    host: 'claude',
    input: 'npm test',
  },
  {
    timestamp: '2026-11-15T09:40:00Z',
    session_id: 'abc-2',
    source: 'tool-failure',
    type: 'tool-failure',
    tool_name: 'Read',
    error: 'no such file',
  },
  {
    timestamp: '2026-11-15T08:00:00Z',
    session_id: 'xyz',
    source: 'subagent',
    type: 'subagent_start',
    subagent_type: 'Engineer',
  },
]
const found = (text: string) => {
  const filter = parseEventFilter(text)
  return EVENTS.flatMap((event, index) => (filter.accepts(event, NOW) ? [index] : []))
}

it.each([
  ['', [0, 1, 2]],
  ['source:tool-failure', [1]],
  ['-source:subagent', [0, 1]],
  ['tool:bash', [0]],
  ['session:abc', [0, 1]],
  ['since:10m', [0]],
  ['since:1h -tool:bash', [1]],
  ['agent:engineer', [2]],
  ['host:claude', [0]],
  ['"npm test"', [0]],
  ['npm', [0]],
  ['"no such', [1]],
  ['npm source:tool-failure', []],
])('%s', (text, expected) => expect(found(text)).toEqual(expected))

it('reports unknown words, and applies the rest', () => {
  const { problems } = parseEventFilter('tol:Bash since:soon source:voice')
  expect(problems).toHaveLength(2)
  expect(found('tol:Bash source:subagent')).toEqual([2])
})

it('accepts any text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const filter = parseEventFilter(text)
      for (const event of EVENTS) expect(typeof filter.accepts(event, NOW)).toBe('boolean')
    }),
  )
})

it('returns the fields that all accepted events share', () => {
  const { needs } = parseEventFilter(
    'source:voice session:AB since:2h since:10m -source:subagent x',
  )
  expect(needs).toEqual({ source: 'voice', session: 'ab', forMs: 600_000 })
  expect(parseEventFilter('-session:ab since:soon source:none').needs).toEqual({})
})
