import type { SecurityEvent } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { describeReason, filterEvents, hrefOfRule, hrefOfTry, joinPages } from './verdicts.ts'

const event = (id: string, more: Partial<SecurityEvent> = {}): SecurityEvent => ({
  id,
  timestamp: '2026-11-15T10:00:00.000Z',
  session_id: 's',
  host: 'claude',
  tool: 'Bash',
  verdict: 'deny',
  event_type: 'block',
  rule: 'bash.blocked: ^mkfs',
  reason: 'because',
  target: 'mkfs /dev/sda',
  shadow: false,
  ...more,
})

describe('the filter of events', () => {
  const events = [
    event('1'),
    event('2', { verdict: 'ask', tool: 'Write', rule: 'paths.confirmWrite: ~/.bashrc' }),
    event('3', { shadow: true }),
    event('4', { verdict: 'pass', rule: 'builtin:policy-change', tool: 'policy' }),
  ]
  const idsOf = (filter: Parameters<typeof filterEvents>[1]) =>
    filterEvents(events, filter).map(({ id }) => id)

  it('separates enforced events from shadow events and changes', () => {
    expect(idsOf({})).toEqual(['1', '2', '3', '4'])
    expect(idsOf({ verdict: 'deny' })).toEqual(['1'])
    expect(idsOf({ verdict: 'shadow' })).toEqual(['3'])
    expect(idsOf({ verdict: 'changes' })).toEqual(['4'])
    expect(idsOf({ verdict: 'pass' })).toEqual([])
  })

  it('combines tool and rule', () => {
    expect(idsOf({ tool: 'Bash', rule: 'bash.blocked: ^mkfs' })).toEqual(['1', '3'])
    expect(idsOf({ tool: 'Write', verdict: 'deny' })).toEqual([])
  })
})

describe('links of an event', () => {
  it('carry rules and commands as they are', () => {
    const rule = 'bash.blocked: ^a+b&c=\\d #x'
    const query = new URL(hrefOfRule(rule), 'http://x').searchParams
    expect(query.get('rule')).toBe(rule)
    const again = new URL(hrefOfTry(event('1', { target: 'a & b' })), 'http://x').searchParams
    expect(Object.fromEntries(again)).toEqual({ tab: 'try', kind: 'command', input: 'a & b' })
    expect(hrefOfTry(event('1', { tool: 'prompt' }))).toContain('kind=prompt')
    expect(hrefOfTry(event('1', { tool: 'Edit' }))).toContain('kind=path&effect=write')
  })
})

describe('pages of events', () => {
  it('are joined without doubles', () => {
    const joined = joinPages([event('5'), event('4')], [event('4'), event('3')])
    expect(joined.map(({ id }) => id)).toEqual(['5', '4', '3'])
  })
})

describe('the reason of an event', () => {
  it('is in words for changes of the policy, and unchanged for others', () => {
    const rule = 'builtin:policy-change'
    expect(describeReason({ rule, reason: 'save_rules' })).toBe('the rules were saved')
    expect(describeReason({ rule, reason: 'constructor' })).toBe('constructor')
    expect(describeReason({ rule: 'bash.blocked: x', reason: 'undo' })).toBe('undo')
  })
})
