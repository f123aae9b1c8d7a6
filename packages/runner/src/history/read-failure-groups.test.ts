import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRedactor } from '@steward/platform'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createOpenLedger } from './flow-items.ts'
import { openHistory, type StoredHistory } from './open-history.ts'
import { readFailureGroups } from './read-failure-groups.ts'
import { newRunId } from './run-id.ts'
import { sampleAdvance, sampleFailure, sampleRun, T0 } from './testing/samples.ts'

let directory = ''
let history: StoredHistory
const redactor = createRedactor({})
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'steward-failure-groups-'))
  history = openHistory({ directory, redactor })
})
afterEach(async () => {
  await history.close()
  rmSync(directory, { recursive: true, force: true })
})

const run = async (changes: Parameters<typeof sampleRun>[0] = {}) => {
  const { startedAt = T0 } = changes
  const begun = sampleRun({ id: newRunId(startedAt), ...changes })
  await history.begin(begun)
  return begun.id
}
const fail = async (changes: Parameters<typeof sampleRun>[0] = {}) => {
  const id = await run(changes)
  await history.advance(sampleFailure(id, 0))
  return id
}
const groups = (sinceMs = T0) => readFailureGroups(directory, sinceMs)

it('is empty without a history', () => {
  expect(readFailureGroups(join(directory, 'nowhere'), 0)).toEqual([])
  expect(groups()).toEqual([])
})

it('counts failed runs by their failed action and error code, in whichever automation', async () => {
  // The clock was ahead, and ids do not go back with it.
  newRunId(T0 + 3_600_000)
  await fail()
  const last = await fail({ name: 'P_OTHER' })
  await fail({ firstStep: { index: 0, action: 'A_ANOTHER', startedAt: T0 } })
  const completed = await run()
  await history.advance(sampleAdvance(completed, 0, { done: true }, 'end'))
  const found = groups()
  expect(found).toMatchObject([
    { kind: 'run', name: 'A_ONE_STEP', code: 'timeout', cause: 'took too long' },
    { kind: 'run', name: 'A_ANOTHER', within: ['P_LABEL_AND_RATE'], code: 'timeout' },
  ])
  expect(found[0]).toMatchObject({ timesMs: [T0 + 50, T0 + 50] })
  expect(found[0]?.within.toSorted()).toEqual(['P_LABEL_AND_RATE', 'P_OTHER'])
  expect(groups(T0 + 60_000)).toEqual([])
  expect(history.get(last)?.status).toBe('failed')
})

it('counts the failure of a run below a flow once, and neither cancelled nor running ones', async () => {
  const flow = await run({ name: 'F_TIDES', primitive: 'flow' })
  await fail({ parentId: flow })
  await history.advance(sampleFailure(flow, 0))
  await run({ name: 'P_RUNNING' })
  const cancelled = await run({ name: 'P_STOPPED' })
  await history.cancel(cancelled, T0 + 10)
  expect(groups().map(({ name, timesMs }) => [name, timesMs.length])).toEqual([['A_ONE_STEP', 1]])
})

it('counts items that a destination did not take, and not those that no run processed', async () => {
  const ledger = createOpenLedger(history.database, { known: redactor })('F_TIDES')
  const at = { runId: 'run-1', atMs: T0 }
  const items = ['a', 'b', 'c'].map((id) => ({ id, title: id, payload: {} }))
  await ledger.add(items, at)
  const error = { code: 'unavailable', message: 'the gauge is down', retryable: true }
  for (const item of ['a', 'b']) {
    await ledger.change(item, { state: 'processed', output: { text: item } }, at)
    await ledger.change(item, { state: 'waiting', error, attempts: 1 }, at)
  }
  await ledger.change('c', { state: 'given-up', error }, at)
  expect(groups()).toMatchObject([
    {
      kind: 'delivery',
      name: 'F_TIDES',
      within: ['F_TIDES'],
      code: 'unavailable',
      cause: 'the gauge is down',
      timesMs: [T0, T0],
      runId: 'run-1',
    },
  ])
  await ledger.changeDelivery(['a'], 'https://gauge.example', { state: 'waiting', error })
  expect(groups().map(({ name }) => name)).toEqual(['F_TIDES', 'https://gauge.example'])
})
