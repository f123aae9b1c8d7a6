import type { HostedEntry } from '@steward/contract'
import { expect, test } from 'vitest'
import { foldTimeline, mergeEntries, placeToReadOn } from './fold-timeline.ts'

const base = (seq: number) => ({
  seq,
  id: `e${seq}`,
  at: `2026-11-15T10:00:0${seq}.000Z`,
  type: 'some',
})
const message = (seq: number, queued = false): HostedEntry => ({
  ...base(seq),
  kind: 'message',
  by: 'you',
  text: 'go on',
  queued,
})
const call = (seq: number): HostedEntry => ({
  ...base(seq),
  kind: 'call',
  tool: 'bash',
  input: 'ls',
  permission: 'ask',
  reason: null,
})
const answer = (seq: number, callId: string): HostedEntry => ({
  ...base(seq),
  kind: 'answer',
  callId,
  allowed: true,
  text: null,
  queued: false,
})
const result = (seq: number, callId: string): HostedEntry => ({
  ...base(seq),
  kind: 'result',
  callId,
  text: 'a b',
  failed: false,
})
const asking = (seq: number): HostedEntry => ({ ...base(seq), kind: 'asking' })
const model = (seq: number, askedId: string): HostedEntry => ({
  ...base(seq),
  kind: 'model',
  askedId,
  failed: false,
  tokens: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
})

test('a call has its answer and result with it, a model call its end', () => {
  const entries = [message(1), asking(2), call(3), model(4, 'e2'), answer(5, 'e3'), result(6, 'e3')]
  expect(foldTimeline(entries)).toMatchObject([
    { kind: 'entry', id: 'e1' },
    { kind: 'model', id: 'e2', end: { id: 'e4' }, durationMs: 2000 },
    { kind: 'call', id: 'e3', answer: { id: 'e5' }, result: { id: 'e6' } },
  ])
})

test('running calls have no end yet, and ends without a loaded start stand alone', () => {
  expect(foldTimeline([result(1, 'e0'), model(2, 'e0'), asking(3), call(4)])).toMatchObject([
    { kind: 'entry', entry: { kind: 'result' } },
    { kind: 'model', id: 'e2', durationMs: undefined },
    { kind: 'model', id: 'e3', end: undefined },
    { kind: 'call', result: undefined },
  ])
})

test('usage so far is not a separate line', () => {
  const usage: HostedEntry = { ...base(1), type: 'session.usage', kind: 'note', text: '' }
  expect(foldTimeline([usage])).toEqual([])
})

test('reloaded entries replace earlier ones', () => {
  const merged = mergeEntries([message(1), message(2, true)], [message(2), message(3)])
  expect(merged).toEqual([message(1), message(2), message(3)])
  expect(mergeEntries([message(3)], [message(1)]).map(({ seq }) => seq)).toEqual([1, 3])
})

test('reads on after the last, or before the first that was not taken up', () => {
  expect(placeToReadOn([])).toBe(0)
  expect(placeToReadOn([message(1), call(2)])).toBe(2)
  expect(placeToReadOn([message(1), message(2, true), call(3)])).toBe(1)
})
