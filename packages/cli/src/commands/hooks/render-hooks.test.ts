import { expect, it } from 'vitest'
import { renderHooks } from './render-hooks.ts'

it('shows one line per hook with its last firing and median duration', () => {
  const hook = {
    event: 'Stop',
    kind: 'tells',
    registered: true,
    waited: true,
    lastFiring: '2026-01-01T00:00:00.000Z',
    firings: 3,
    medianMs: 61,
  } as const
  const [fired, unfired] = renderHooks([
    hook,
    { ...hook, event: 'SessionEnd', lastFiring: null, firings: 0, medianMs: null },
  ])
  expect(fired).toMatch(/^\+ Stop .*61 ms \(3\)$/)
  expect(unfired).toMatch(/^\+ SessionEnd +never fired$/)
})
