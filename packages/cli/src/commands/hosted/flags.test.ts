import { InvalidArgumentError } from 'commander'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseAge } from '../../input/option-values.ts'
import { adviseOn } from './advise.ts'
import { configOf } from './environment-config.ts'
import { formatDollars, formatMoney, parseDollars } from './money.ts'
import { eventsOf } from './sent-events.ts'

describe('eventsOf', () => {
  const wait = true

  it('converts the command line to events', () => {
    expect(eventsOf('hello', { wait })).toEqual([
      { type: 'user.message', content: [{ type: 'text', text: 'hello' }] },
    ])
    expect(
      eventsOf(undefined, { wait, allow: ['sevt_1'], deny: ['sevt_2'], message: 'not there' }),
    ).toEqual([
      { type: 'user.tool_confirmation', tool_use_id: 'sevt_1', result: 'allow' },
      {
        type: 'user.tool_confirmation',
        tool_use_id: 'sevt_2',
        result: 'deny',
        deny_message: 'not there',
      },
    ])
    expect(eventsOf('42', { wait, result: 'sevt_3', error: true })).toEqual([
      {
        type: 'user.custom_tool_result',
        custom_tool_use_id: 'sevt_3',
        content: [{ type: 'text', text: '42' }],
        is_error: true,
      },
    ])
  })

  it('interrupts before it sends something new', () => {
    const types = eventsOf('do this', { wait, interrupt: true }).map(({ type }) => type)
    expect(types).toEqual(['user.interrupt', 'user.message'])
  })

  it('refuses meaningless combinations, and names the flag', () => {
    expect(() => eventsOf(undefined, { wait })).toThrow('nothing to send')
    expect(() => eventsOf('a', { wait, message: 'why' })).toThrow('--message: it needs --deny')
    expect(() => eventsOf('a', { wait, error: true })).toThrow('--error: it needs --result')
    expect(() => eventsOf(undefined, { wait, result: 'sevt_1' })).toThrow('--result')
  })
})

describe('configOf', () => {
  it('is open by default, and otherwise restricted to the given hosts', () => {
    expect(configOf({})).toBeUndefined()
    expect(configOf({ selfHosted: true })).toEqual({ type: 'self_hosted' })
    expect(configOf({ offline: true })).toMatchObject({ networking: { allowed_hosts: [] } })
    expect(configOf({ allowHost: ['a.dev'], package: ['pip:x', 'pip:y==2', 'npm:@a/b'] })).toEqual({
      type: 'cloud',
      networking: { type: 'limited', allowed_hosts: ['a.dev'], allow_package_managers: false },
      packages: { pip: ['x', 'y==2'], npm: ['@a/b'] },
    })
  })

  it('refuses package managers without their access, and packages without a manager', () => {
    expect(() => configOf({ packageManagers: true })).toThrow('--package-managers')
    expect(() => configOf({ package: ['brew:x'] })).toThrow('apt, cargo, gem, go, npm, pip')
    expect(() => configOf({ package: ['__proto__:x'] })).toThrow('--package __proto__:x')
  })
})

describe('money and time', () => {
  it('parses dollars as whole cents, and formats them back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000_000 }), (cents) => {
        expect(parseDollars((cents / 100).toFixed(2))).toBe(String(cents))
      }),
    )
    expect(formatMoney({ amount: '2505', currency: 'USD' })).toBe('$25.05')
    for (const wrong of ['0', '-1', '1.005', 'much', '', '1e99', 'NaN'])
      expect(() => parseDollars(wrong)).toThrow(InvalidArgumentError)
  })

  it('never shows a small amount as nothing', () => {
    expect([0, 0.00001, 0.0021, 3].map(formatDollars)).toEqual([
      '$0.00',
      'under $0.0001',
      '$0.0021',
      '$3.00',
    ])
  })

  it('reads ages', () => {
    expect(['90m', '12h', '30d', '8w'].map(parseAge)).toEqual([
      5_400_000, 43_200_000, 2_592_000_000, 4_838_400_000,
    ])
    for (const wrong of ['30', 'd', '0d', '1y', '-1d', '1.5d'])
      expect(() => parseAge(wrong)).toThrow(InvalidArgumentError)
  })

  it('advises against sessions under 30 minutes', () => {
    expect(adviseOn(29.9)).toMatchObject({ worthIt: false })
    expect(adviseOn(30)).toMatchObject({ worthIt: true, sessionDollars: 0.04 })
  })
})
