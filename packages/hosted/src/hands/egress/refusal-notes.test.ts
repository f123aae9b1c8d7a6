import { expect, test } from 'vitest'
import type { EgressDecision } from './egress.ts'
import { createRefusalNotes } from './refusal-notes.ts'

const decision = (more: Partial<EgressDecision>): EgressDecision => ({
  ...{ sessionId: 'sesn_1', host: 'a.test', port: 22, way: 'tunnel', allowed: false },
  ...{ reason: 'not listed', credentials: [], ...more },
})

test('each refusal is told once, and none that a program has told already', () => {
  const notes = createRefusalNotes()
  notes.hear(decision({}))
  notes.hear(decision({}))
  notes.hear(decision({ way: 'name', port: 53 }))
  notes.hear(decision({ way: 'http' }))
  notes.hear(decision({ allowed: true }))
  notes.hear(decision({ allowed: true, isUnreached: true, reason: 'ECONNREFUSED' }))
  expect(notes.take()).toEqual([
    'network: a.test:22 was refused: not listed',
    'network: the name a.test was refused: not listed',
    'network: a.test:22 could not be reached: ECONNREFUSED',
  ])
  expect(notes.take()).toEqual([])
})

test('many refusals are counted', () => {
  const notes = createRefusalNotes()
  for (let port = 1; port <= 1000; port += 1) notes.hear(decision({ port }))
  const taken = notes.take()
  expect(taken).toHaveLength(6)
  expect(taken.at(-1)).toBe('network: 995 more refusals')
})
