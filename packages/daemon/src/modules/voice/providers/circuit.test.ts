import { expect, test } from 'vitest'
import { createCircuit } from './circuit.ts'
import type { ProviderFault } from './provider.ts'

const failure: ProviderFault = { kind: 'failed', message: 'no' }

const open = () => {
  let nowMs = 0
  const circuit = createCircuit(() => nowMs)
  return { circuit, wait: (ms: number) => (nowMs += ms) }
}

test('three failures in a row and it rests, longer each time it fails again', () => {
  const { circuit, wait } = open()
  circuit.fail(failure)
  circuit.fail(failure)
  expect(circuit.mayTry()).toBe(true)
  circuit.fail(failure)
  expect(circuit.mayTry()).toBe(false)
  expect(circuit.state()).toEqual({ circuit: 'open', retryAtMs: 30_000, fault: failure })
  wait(30_000)
  expect(circuit.mayTry()).toBe(true)
  circuit.fail(failure)
  expect(circuit.state().retryAtMs).toBe(90_000)
  for (let count = 0; count < 20; count++) circuit.fail(failure)
  expect(circuit.state().retryAtMs).toBe(30_000 + 15 * 60_000)
})

test('a success resets the failures', () => {
  const { circuit } = open()
  circuit.fail(failure)
  circuit.fail(failure)
  circuit.succeed()
  circuit.fail(failure)
  expect(circuit.mayTry()).toBe(true)
  circuit.reset()
  expect(circuit.state()).toEqual({ circuit: 'closed', retryAtMs: undefined, fault: undefined })
})

test('a refused key pauses immediately, a rate limit for the requested time', () => {
  const { circuit } = open()
  circuit.fail({ kind: 'refused', message: '401' })
  expect(circuit.state().retryAtMs).toBe(600_000)
  circuit.reset()
  circuit.fail({ kind: 'busy', message: '429', retryAfterMs: 7000 })
  expect(circuit.state().retryAtMs).toBe(7000)
  circuit.reset()
  circuit.fail({ kind: 'busy', message: '429' })
  expect(circuit.state().retryAtMs).toBe(60_000)
})

test('a clock that is set back does not lengthen the rest', () => {
  const { circuit, wait } = open()
  circuit.fail({ kind: 'refused', message: '401' })
  wait(-3_600_000)
  expect(circuit.mayTry()).toBe(true)
})
