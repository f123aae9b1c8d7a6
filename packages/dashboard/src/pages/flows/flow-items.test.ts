import type { FlowItemView } from '@steward/contract'
import { expect, it } from 'vitest'
import { isRetryable, toneOfItem } from './flow-items.ts'

const item = (given: Partial<FlowItemView>): FlowItemView => ({
  id: 'a',
  title: null,
  state: 'found',
  attempts: 0,
  nextAttemptAt: null,
  error: null,
  changedAt: '2026-03-01T12:00:00.000Z',
  runId: 'run',
  ...given,
})

it('offers a retry for items that wait, failed or were given up', () => {
  expect(isRetryable(item({ state: 'waiting' }))).toBe(true)
  expect(isRetryable(item({ state: 'given-up' }))).toBe(true)
  expect(isRetryable(item({ attempts: 2 }))).toBe(true)
  expect(isRetryable(item({}))).toBe(false)
  expect(isRetryable(item({ state: 'delivered', attempts: 2 }))).toBe(false)
})

it('colours states by how much a person has to do', () => {
  expect(toneOfItem(item({ state: 'delivered' }))).toBe('good')
  expect(toneOfItem(item({ state: 'given-up' }))).toBe('bad')
  expect(toneOfItem(item({}))).toBe('neutral')
  expect(toneOfItem(item({ error: 'status 500' }))).toBe('warn')
})
