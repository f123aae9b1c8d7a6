import type { PermissionOption } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { chooseOption } from './choose-option.ts'

const offer = (...kinds: PermissionOption['kind'][]): PermissionOption[] =>
  kinds.map((kind) => ({ kind, optionId: kind, name: kind }))
const choose = (kinds: PermissionOption['kind'][], answer: Parameters<typeof chooseOption>[1]) => {
  const outcome = chooseOption(offer(...kinds), answer)
  return outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome
}
const ONCE = { decision: 'allow' } as const
const ALWAYS = { decision: 'allow', scope: 'always' } as const
const DENY = { decision: 'deny' } as const

test('a missing "always" becomes "once" and never a refusal', () => {
  expect(choose(['reject_once', 'allow_once'], ALWAYS)).toBe('allow_once')
  expect(choose(['reject_once', 'allow_once', 'allow_always'], ALWAYS)).toBe('allow_always')
  expect(choose(['reject_once', 'allow_always', 'allow_once'], ONCE)).toBe('allow_once')
})

test('a missing "reject" ends the turn and never approves', () => {
  expect(choose(['allow_once', 'allow_always'], DENY)).toBe('cancelled')
  expect(choose(['allow_once', 'reject_always'], DENY)).toBe('reject_always')
  expect(choose(['allow_once', 'allow_always'], undefined)).toBe('cancelled')
  expect(choose(['allow_once', 'reject_once'], undefined)).toBe('reject_once')
  expect(choose([], ONCE)).toBe('cancelled')
})
