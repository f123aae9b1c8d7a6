import { expect, it } from 'vitest'
import { opencodeDrive } from './drive.ts'

it('reads the plan in its list of tasks, which it does not report as a plan', () => {
  const todos = [{ id: '1', content: 'Look', status: 'pending', priority: 'high' }]
  expect(opencodeDrive.planIn?.({ title: 'todowrite', input: { todos } })).toEqual([
    { text: 'Look', status: 'pending' },
  ])
  // A call begins with an empty input.
  expect(opencodeDrive.planIn?.({ title: 'todowrite', input: {} })).toBeUndefined()
  expect(opencodeDrive.planIn?.({ title: 'write', input: { todos } })).toBeUndefined()
})
