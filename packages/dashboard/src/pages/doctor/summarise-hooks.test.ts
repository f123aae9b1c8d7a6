import type { HookDetail } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { summariseHooks } from './summarise-hooks.ts'

const hook = (host: HookDetail['host'], more: Partial<HookDetail> = {}): HookDetail => ({
  host,
  event: 'Stop',
  matcher: '',
  command: 'steward-hook.mjs',
  description: '',
  behavior: '',
  canBlock: false,
  registered: false,
  registeredIn: '',
  problem: null,
  lastFiredAt: null,
  lastDurationMs: null,
  medianDurationMs: null,
  firings: 0,
  failures: 0,
  lastErrors: [],
  ...more,
})

describe('the hooks of an assistant in numbers', () => {
  it('counts registered and failed ones, and takes the newest firing', () => {
    const summaries = summariseHooks({
      a: hook('codex'),
      b: hook('claude', { registered: true, lastFiredAt: '2026-11-02', failures: 1 }),
      c: hook('claude', { registered: true, lastFiredAt: '2026-11-01', failures: 2 }),
      d: hook('claude'),
    })
    expect(summaries).toEqual([
      {
        host: 'claude',
        there: 2,
        wanted: 3,
        lastFiredAt: '2026-11-02',
        failures: 3,
        problem: null,
      },
      { host: 'codex', there: 0, wanted: 1, lastFiredAt: undefined, failures: 0, problem: null },
    ])
  })
})
