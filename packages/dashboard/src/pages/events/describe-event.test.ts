import type { StewardEvent } from '@steward/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { actorOf, describeEvent } from './describe-event.ts'

const eventWith = (tool_input_preview: string): StewardEvent => ({
  timestamp: '2026-01-01T00:00:00Z',
  session_id: 's',
  source: 'tool-activity',
  type: 'tool_use',
  tool_input_preview,
})

test.each([
  ['{"command":"npm test"}', 'npm test'],
  ['{"command":"say \\"hi\\"\\nand go","timeout":3}', 'say "hi" and go'],
  ['{"file_path":"src/a-very-long-na…', 'src/a-very-long-na…'],
  ['{"count":3}', '{"count":3}'],
  ['{"text":"cut in an escape \\', 'cut in an escape'],
  ['plain words', 'plain words'],
])('%s is shown as %s', (preview, shown) => {
  expect(describeEvent(eventWith(preview))).toBe(shown)
})

test('names the actor: an agent, a tool, or else the event in words', () => {
  const event = eventWith('')
  expect(actorOf({ ...event, tool_name: 'Bash', subagent_type: 'Tester' })).toBe('Tester')
  expect(actorOf({ ...event, tool_name: 'Bash' })).toBe('Bash')
  expect(actorOf({ ...event, type: 'user_prompt' })).toBe('Prompt')
  expect(actorOf({ ...event, type: 'stop_failure' })).toBe('Stop failure')
})

test('no preview, cut anywhere, makes it fail', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (text, at) => {
      const preview = JSON.stringify({ command: text }).slice(0, at)
      expect(typeof describeEvent(eventWith(preview))).toBe('string')
    }),
  )
})
