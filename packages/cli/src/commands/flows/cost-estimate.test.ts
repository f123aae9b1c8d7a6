import type { FlowEntry } from '@steward/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withArrivals } from './cost.ts'
import { estimateCost, type FlowMeasures } from './cost-estimate.ts'
import { countInSteps } from './cost-measure.ts'

const measures = (changes: Partial<FlowMeasures> = {}): FlowMeasures => ({
  flow: 'F_FEEDS_LABEL',
  intervalMinutes: 5,
  modelActions: 1,
  fanOut: null,
  iterations: 1,
  runs: 10,
  foundPerRun: 30,
  newPerRun: 30,
  callsPerItem: null,
  usdPerCall: 0.001,
  priceFrom: 'history',
  cheaper: null,
  lowQualityShare: null,
  ...changes,
})

test('the spec’s example: every 5 minutes, 30 items, 8,640 calls; half an hour is a sixth', () => {
  const { worst, expected, mitigations } = estimateCost(measures())
  expect(worst).toEqual({ calls: 8640, usd: expect.closeTo(8.64) })
  expect(expected).toEqual(worst)
  expect(mitigations).toEqual([
    {
      what: 'every 30 minutes instead of 5: 6x fewer',
      saves: { calls: 7200, usd: expect.closeTo(7.2) },
    },
  ])
})

test('savings of each mitigation', () => {
  const { expected, mitigations } = estimateCost(
    measures({
      intervalMinutes: 60,
      modelActions: 2,
      newPerRun: 3,
      lowQualityShare: 0.25,
      cheaper: { model: 'small', usdPerCall: 0.0001 },
    }),
  )
  expect(expected).toEqual({ calls: 144, usd: expect.closeTo(0.144) })
  expect(mitigations.map(({ what, saves }) => [what, saves.calls])).toEqual([
    ['deduplication, which is on', 1296],
    ['rating first and dropping items rated below 50 (25% are)', 180],
    ['the cheaper model small', 0],
  ])
  expect(mitigations[2]?.saves.usd).toBeCloseTo(1440 * 0.0009)
})

test('a flow that never ran is taken for the example, one without a model for free', () => {
  const never = estimateCost(measures({ runs: 0, foundPerRun: null, newPerRun: null }))
  expect(never).toMatchObject({ measured: false, itemsPerRun: 30, worst: { calls: 8640 } })
  const looping = estimateCost(measures({ iterations: 5, modelActions: 2 }))
  expect(looping.callsPerItem).toBe(10)
  const poller = estimateCost(measures({ modelActions: 0 }))
  expect(poller).toMatchObject({ worst: { calls: 0, usd: 0 }, mitigations: [] })
})

test('a fan-out counts with its `max`, or per element without one, until calls were measured', () => {
  const callsModel = (name: string) => name === 'A_ASK'
  const each = { each: 'links', do: ['A_ASK', 'A_FETCH'], max: 20 }
  const steps = ['A_ASK', { parallel: [[each], ['A_ASK']] }, { when: 'x' }]
  expect(countInSteps(steps, callsModel)).toEqual({ modelActions: 22, fanOut: 'at most' })
  const nested = { each: 'pages', do: [each, 'A_ASK'] }
  const counted = countInSteps([nested, { each: 'links', do: ['A_FETCH'] }], callsModel)
  expect(counted).toEqual({ modelActions: 21, fanOut: 'per element' })
  expect(estimateCost(measures(counted))).toMatchObject({ callsPerItem: 21, fanOut: 'per element' })
  expect(estimateCost(measures({ ...counted, callsPerItem: 3 })).fanOut).toBeNull()
})

test('nothing saves more than the total', () => {
  const count = fc.double({ min: 0, max: 1000, noNaN: true })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1440 }),
      count,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 5 }),
      (intervalMinutes, foundPerRun, share, modelActions) => {
        const newPerRun = foundPerRun * share
        const { worst, expected, mitigations } = estimateCost(
          measures({ intervalMinutes, foundPerRun, newPerRun, modelActions }),
        )
        expect(expected.calls).toBeLessThanOrEqual(worst.calls)
        for (const { saves } of mitigations) {
          expect(saves.calls).toBeLessThanOrEqual(worst.calls)
          expect(saves.calls).toBeGreaterThanOrEqual(0)
        }
      },
    ),
  )
})

test('a consumer that never ran gets what its producers send', () => {
  const schedule = { intervalMinutes: 5, enabled: true }
  const flows: FlowEntry[] = [
    {
      id: 'a',
      name: 'F_A_QUEUE',
      source: { type: 'feeds' },
      destination: { type: 'queue', queue: 'q' },
      schedule,
    },
    {
      id: 'b',
      name: 'F_QUEUE_B',
      source: { type: 'queue', queue: 'q', maxBatchSize: 10, maxRetries: 3 },
      pipeline: 'P_B',
      destination: { type: 'database', table: 'x' },
      schedule,
    },
  ]
  const unknown = { runs: 0, foundPerRun: null, newPerRun: null }
  const consumer = measures({ ...unknown, intervalMinutes: 30 })
  const perRun = (producer: Partial<FlowMeasures>, hasFeeds: boolean) =>
    withArrivals(flows, [measures(producer), consumer], hasFeeds)[1]?.newPerRun
  expect(perRun({ newPerRun: 2 }, true)).toBe(12)
  expect(perRun(unknown, true)).toBeNull()
  expect(perRun(unknown, false)).toBe(0)
})
