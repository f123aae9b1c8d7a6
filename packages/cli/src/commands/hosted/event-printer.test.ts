import { describe, expect, it } from 'vitest'
import { paintFor } from '../../output/paint.ts'
import { memorySink } from '../../testing/memory-io.ts'
import { createEventPrinter } from './event-printer.ts'
import { renderPending } from './pending.ts'
import { renderStatus } from './status.ts'
import type { ToolCallEvent } from './tool-call.ts'
import type { StreamedEvent } from './types.ts'

const processed_at = '2026-11-15T12:00:00.000Z'
const message = (id: string, text: string): StreamedEvent => ({
  id,
  processed_at,
  type: 'agent.message',
  content: [{ type: 'text', text }],
})
const start = (id: string): StreamedEvent => ({
  type: 'event_start',
  event: { type: 'agent.message', id },
})
const delta = (event_id: string, text: string): StreamedEvent => ({
  type: 'event_delta',
  event_id,
  delta: { type: 'content_delta', content: { type: 'text', text } },
})
const call = (input: Record<string, unknown>): ToolCallEvent => ({
  id: 'sevt_1',
  processed_at,
  type: 'agent.tool_use',
  name: 'bash',
  input,
  evaluated_permission: 'ask',
})

const show = (events: readonly StreamedEvent[], json = false): string => {
  const out = memorySink()
  const printer = createEventPrinter(out, json)
  for (const event of events) printer.print(event)
  return out.text()
}

describe('createEventPrinter', () => {
  it('shows a message once, whether it came in parts or not', () => {
    expect(show([message('a', 'one two')])).toBe('agent: one two\n')
    expect(show([start('a'), delta('a', 'one '), message('a', 'one two')])).toBe('agent: one two\n')
  })

  it('ends a preview that never became a message', () => {
    const end: StreamedEvent = {
      id: 'e',
      processed_at,
      type: 'span.model_request_end',
      model_request_start_id: 's',
      is_error: true,
      model_usage: {
        input_tokens: 0,
        output_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    }
    expect(show([start('a'), delta('a', 'half'), end, message('b', 'anew')])).toBe(
      'agent: half\nagent: anew\n',
    )
  })

  it('removes terminal escape sequences of an agent', () => {
    expect(show([message('a', '\u001b[2Jgone'), call({ command: 'ls \u0007' })])).toBe(
      'agent: \uFFFD[2Jgone\ntool: bash  ls \uFFFD\n',
    )
  })

  const result = (text: string): StreamedEvent => ({
    id: 'r',
    processed_at,
    type: 'agent.tool_result',
    tool_use_id: 'sevt_1',
    content: [{ type: 'text', text }],
  })

  it('cuts long results, and says so', () => {
    const text = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n')
    expect(show([result(text)])).toContain('  line 29\n  … 10 more lines\n')
  })

  it('says that a result is empty', () => {
    expect(show([result('\n')])).toBe('  (no output)\n')
  })

  it('prints one event a line for programs', () => {
    const event = message('a', 'one\ntwo')
    expect(show([event], true)).toBe(`${JSON.stringify(event)}\n`)
  })
})

describe('waiting calls', () => {
  it('is shown whole, with the command that allows it', () => {
    const text = renderPending(
      'sesn_1',
      [call({ command: 'rm -rf build', timeout_ms: 5 })],
      ' --vendor',
      paintFor(false),
    )
    expect(text).toContain('waits: bash  {"command":"rm -rf build","timeout_ms":5}\n')
    expect(text).toMatch(/steward hosted send sesn_1 --vendor --allow sevt_1\n/)
    expect(text).toMatch(/steward hosted send sesn_1 --vendor --deny sevt_1 --message "why"\n/)
  })
})

describe('renderStatus', () => {
  it('warns in capitals if nothing isolates', () => {
    const hands = { driver: 'none', isolated: false, limits: 'none', seccomp: false, remarks: [] }
    expect(renderStatus('http://here', { hands }, paintFor(false))).toContain('NO ISOLATION')
  })
})
