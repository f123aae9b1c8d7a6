import { StewardError, toStewardError } from '@steward/contract'
import { expect, it } from 'vitest'
import { workItems } from './work-items.ts'
import type { WorkPorts } from './work-ports.ts'

const ITEMS = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, title: id, payload: { id } }))

const portsWith = (more: Partial<WorkPorts>): WorkPorts => ({
  ledger: { change: async () => undefined, changeAll: async () => undefined },
  runId: 'run',
  now: () => 0,
  random: () => 0.5,
  concurrency: 4,
  giveUpAfterMs: 1000,
  isScheduled: true,
  obstacle: () => undefined,
  onStart: async () => undefined,
  process: async ({ payload }) => payload,
  deliver: async () => undefined,
  onEnd: async () => undefined,
  toFailure: (thrown) => toStewardError(thrown),
  ...more,
})

/** Deliveries that take a turn each, with the items in the order of their start. */
const createDestination = () => {
  const started: string[] = []
  let open = 0
  let most = 0
  return {
    started,
    most: () => most,
    deliver: async ({ id }: { id: string }) => {
      started.push(id)
      most = Math.max(most, ++open)
      await new Promise((resolve) => setTimeout(resolve))
      open--
    },
  }
}

it('delivers one output after the other, in the order of the items', async () => {
  const { deliver, started, most } = createDestination()
  const slowFirst: WorkPorts['process'] = async ({ id, payload }) => {
    if (id === 'a') await new Promise((resolve) => setTimeout(resolve))
    return payload
  }
  await workItems(ITEMS, new Map(), portsWith({ deliver, process: slowFirst }))
  expect([started, most()]).toEqual([['a', 'b', 'c', 'd', 'e'], 1])
})

it('delivers several at once within the bound if their order does not matter', async () => {
  const { deliver, started, most } = createDestination()
  const { outcomes } = await workItems(ITEMS, new Map(), portsWith({ deliver, deliveries: 3 }))
  expect(started.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(most()).toBe(3)
  expect(outcomes.map(({ kind }) => kind)).toEqual(ITEMS.map(() => 'delivered'))
})

it.each([1, 3])('starts no delivery after the run broke, with %d at once', async (deliveries) => {
  const started: string[] = []
  const broken = new StewardError('internal', { reason: 'the ledger is gone' })
  const work = workItems(
    ITEMS,
    new Map(),
    portsWith({
      deliveries,
      deliver: async ({ id }) => void started.push(id),
      onEnd: async () => {
        throw broken
      },
    }),
  )
  await expect(work).rejects.toBe(broken)
  expect(started.length).toBeLessThanOrEqual(deliveries)
})

it.each([1, 3])('ends if processing broke, with %d deliveries at once', async (deliveries) => {
  const broken = new StewardError('run_active', { subject: 'a', reason: 'it runs elsewhere' })
  const work = workItems(
    ITEMS,
    new Map(),
    portsWith({
      deliveries,
      concurrency: 1,
      process: async () => {
        throw broken
      },
      toFailure: (thrown) => {
        throw thrown
      },
    }),
  )
  await expect(work).rejects.toBe(broken)
})
