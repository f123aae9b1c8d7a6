import { expect, it } from 'vitest'
import { decidePermission, mayPush } from './permission-rules.ts'

const decide = (command: string, allow: string[], permissions: 'ask' | 'deny' = 'ask') =>
  decidePermission(
    { folder: '/f', writable: [], allow, permissions },
    { toolId: '1', title: 'x', kind: 'execute', input: { command }, paths: [], onlyAlways: false },
    () => undefined,
  )

it('allows a push only by a rule that names it', () => {
  for (const rule of ['execute', 'execute git *', 'execute *']) {
    expect(decide('git push origin HEAD', [rule])).toEqual({ decision: 'ask' })
    expect(decide('cd x && git -c a=b push', [rule])).toEqual({ decision: 'ask' })
    expect(decide('git push', [rule], 'deny')).toMatchObject({ decision: 'deny' })
    expect(decide('git status', [rule])).toMatchObject({ decision: 'allow' })
  }
  expect(decide('git push origin HEAD', ['execute git push*'])).toMatchObject({
    decision: 'allow',
  })
})

it('lets git push where a rule names it or a person is asked', () => {
  expect(mayPush({ permissions: 'ask', allow: [] })).toBe(true)
  expect(mayPush({ permissions: 'deny', allow: ['execute git push origin*'] })).toBe(true)
  expect(mayPush({ permissions: 'deny', allow: ['execute', 'edit push/*'] })).toBe(false)
})
