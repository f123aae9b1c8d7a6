import { expect, it } from 'vitest'
import { STRIP_PHASES, stateOf } from './phase-strip.ts'

const strip = (current: string, ...entered: string[]) =>
  STRIP_PHASES.map((phase) =>
    stateOf(
      phase,
      current,
      entered.map((name) => ({ phase: name })),
    ),
  ).join(' ')

it('shows past, current and future phases', () => {
  expect(strip('build', 'OBSERVE', 'THINK', 'BUILD')).toBe('past past ahead now ahead ahead ahead')
})

it('keeps a later phase passed when a session goes back', () => {
  expect(strip('build', 'BUILD', 'VERIFY')).toBe('ahead ahead ahead now ahead past ahead')
})

it('is all passed when complete, and empty when native', () => {
  expect(strip('complete')).toBe('past past past past past past past')
  expect(strip('native')).toBe('ahead ahead ahead ahead ahead ahead ahead')
})
