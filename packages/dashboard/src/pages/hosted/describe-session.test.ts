import type { HostedListRow, WaitingCall } from '@steward/contract'
import { expect, test } from 'vitest'
import { describeLast, describeStanding, nameSession, orderSessions } from './describe-session.ts'
import { readHostedView } from './read-hosted-view.ts'
import { showInput } from './show-input.ts'

const AT = '2026-11-15T10:00:00.000Z'
const callOf = (needs: WaitingCall['needs']): WaitingCall => ({
  id: 'c',
  tool: 'bash',
  input: {},
  at: AT,
  needs,
})
const row = (given: Partial<HostedListRow> = {}): HostedListRow => ({
  id: 's',
  title: null,
  agent: { id: 'a', name: 'Keeper', version: 1 },
  model: 'm',
  environmentId: 'e',
  status: 'idle',
  stopReason: null,
  waiting: [],
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  cost: { tokenUsd: 0, timeUsd: 0, totalUsd: 0, isLowerBound: false, isEstimated: false },
  activeMs: 0,
  budgetUsd: null,
  createdAt: AT,
  updatedAt: AT,
  archivedAt: null,
  last: null,
  ...given,
})

test('sessions that wait for a person come first, then other waiting ones, then running ones', () => {
  const rows = [
    row({ id: 'new' }),
    row({ id: 'runs', status: 'running' }),
    row({ id: 'worker', waiting: [callOf('worker')] }),
    row({ id: 'old' }),
    row({ id: 'asks', waiting: [callOf('permission')] }),
  ]
  expect(orderSessions(rows).map(({ id }) => id)).toEqual(['asks', 'worker', 'runs', 'new', 'old'])
})

test.each([
  ['ready', {}],
  ['done', { stopReason: 'end_turn' }],
  ['waits', { stopReason: 'requires_action', waiting: [callOf('result')] }],
  ['waits for you', { stopReason: 'requires_action', waiting: [callOf('permission')] }],
  ['budget used up', { stopReason: 'budget_reached' }],
  ['running', { status: 'running' }],
  ['ended', { status: 'terminated' }],
  ['archived', { archivedAt: AT, status: 'terminated' }],
] as const)('%s', (word, given) => {
  expect(
    describeStanding(row({ ...given, waiting: [...('waiting' in given ? given.waiting : [])] }))
      .word,
  ).toBe(word)
})

test('a session without a title is named after its agent', () => {
  expect(nameSession(row({ title: ' ' }))).toBe('A session of Keeper')
  expect(nameSession(row({ title: 'Tides' }))).toBe('Tides')
})

test('the last event is shown in one line', () => {
  const base = { seq: 1, id: 'e', at: AT, type: 't' }
  expect(describeLast({ ...base, kind: 'message', by: 'you', text: 'go', queued: false })).toBe(
    'you: go',
  )
  expect(describeLast({ ...base, kind: 'error', text: 'broken', retry: 'retrying' })).toBe('broken')
})

test('the input of a tool is shown completely', () => {
  expect(showInput({})).toBe('(nothing)')
  expect(showInput({ command: 'ls\n-la' })).toBe('ls\n-la')
  expect(showInput({ path: '/a', lines: [1] })).toBe('path: /a\nlines: [\n  1\n]')
})

test.each([
  ['/hosted', 'home'],
  ['/hosted/', 'home'],
  ['/hosted/sesn_a1', 'session'],
  ['/hosted/sesn_a1/more', 'nothing'],
  ['/hosted/%2e%2e', 'nothing'],
])('%s shows %s', (path, kind) => {
  expect(readHostedView(path).kind).toBe(kind)
})
