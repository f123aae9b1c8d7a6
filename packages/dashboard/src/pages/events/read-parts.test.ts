import type { StewardEvent } from '@steward/contract'
import { expect, it } from 'vitest'
import { readParts } from './read-parts.ts'

const event = (more: Record<string, unknown>): StewardEvent => ({
  timestamp: '2026-11-17T10:00:00.000Z',
  session_id: 's',
  source: 'tool-activity',
  type: 'tool_use',
  ...more,
})

it('reads error, input and output of a call from all of its events', () => {
  const parts = readParts([
    event({ tool_input: { command: 'npm test' }, cwd: '/projects/tide' }),
    event({ error: 'exit 1', output: { stdout: '', code: 1 } }),
  ])
  expect(parts).toEqual([
    { title: 'Error', text: 'exit 1', isBad: true },
    { title: 'Input', text: 'npm test', isBad: false },
    { title: 'Output', text: '{\n  "stdout": "",\n  "code": 1\n}', isBad: false },
    { title: 'Folder', text: '/projects/tide', isBad: false },
  ])
})

it('leaves out what is empty', () => {
  expect(readParts([event({ tool_input: {}, error: '' })])).toEqual([])
})
