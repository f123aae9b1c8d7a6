import type { HookDetail } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { groupHooks } from './group-hooks.ts'

const hook = (host: HookDetail['host'], registered: boolean): HookDetail => ({
  host,
  event: 'PreToolUse',
  matcher: '',
  command: 'steward-hook.mjs',
  description: '',
  behavior: '',
  canBlock: false,
  registered,
  registeredIn: `~/.${host}`,
  problem: null,
  lastFiredAt: null,
  lastDurationMs: null,
  medianDurationMs: null,
  firings: 0,
  failures: 0,
  lastErrors: [],
})

describe('the hooks of each assistant', () => {
  it('are together, connected assistants first', () => {
    const groups = groupHooks({
      a: hook('claude', false),
      b: hook('codex', true),
      c: hook('gemini', true),
      d: hook('gemini', false),
    })
    expect(groups.map(({ host, state, hooks }) => [host, state, hooks.length])).toEqual([
      ['codex', 'all', 1],
      ['gemini', 'some', 2],
      ['claude', 'none', 1],
    ])
  })
})
