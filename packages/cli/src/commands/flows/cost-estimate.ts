const MINUTES_A_DAY = 1440
/** Spec 1, Cost note: half an hour is the recommended interval. */
const CALM_INTERVAL_MINUTES = 30
/** For flows that never ran: the spec's example. */
export const ASSUMED_ITEMS = 30

/** Measured data of a flow. Null if it has not run or a price is unknown. */
export interface FlowMeasures {
  flow: string
  intervalMinutes: number
  /** Actions of its pipeline that call a model, each as often as an item can run it. */
  modelActions: number
  /** How actions inside `each` are counted: with its `max`, or once because it has none. */
  fanOut: 'at most' | 'per element' | null
  /** The cap of its loop gate. */
  iterations: number
  /** The number of recent runs used. */
  runs: number
  foundPerRun: number | null
  newPerRun: number | null
  callsPerItem: number | null
  usdPerCall: number | null
  priceFrom: 'history' | 'price table' | 'free' | 'unknown'
  /** The cost of a call with the cheapest model of the same vendor. */
  cheaper: { model: string; usdPerCall: number } | null
  /** The share of items that a quality filter would drop; null if unknown. */
  lowQualityShare: number | null
}

export interface PerDay {
  calls: number
  usd: number | null
}

interface Mitigation {
  what: string
  /** Savings per day in the worst case; `deduplication` is already active. */
  saves: PerDay
}

export interface CostEstimate {
  flow: string
  intervalMinutes: number
  runsPerDay: number
  itemsPerRun: number
  newPerRun: number
  /** False if the flow never ran and the items are the spec's example. */
  measured: boolean
  callsPerItem: number
  usdPerCall: number | null
  priceFrom: FlowMeasures['priceFrom']
  /** How the estimate counts fan-outs; null if calls were measured or there is none. */
  fanOut: FlowMeasures['fanOut']
  /** If the next day is like the recent runs. */
  expected: PerDay
  /** If every item that a run finds were processed. */
  worst: PerDay
  mitigations: Mitigation[]
}

/** Calls and dollars per day. Spec 1: every 5 minutes with 30 items is 8,640 calls. */
export const estimateCost = (measures: FlowMeasures): CostEstimate => {
  const { intervalMinutes, modelActions, iterations, usdPerCall } = measures
  const runsPerDay = MINUTES_A_DAY / intervalMinutes
  const itemsPerRun = measures.foundPerRun ?? ASSUMED_ITEMS
  const newPerRun = measures.newPerRun ?? itemsPerRun
  const callsPerItem = measures.callsPerItem ?? modelActions * iterations
  const perDay = (calls: number): PerDay => ({
    calls: Math.round(calls),
    usd: usdPerCall === null ? null : calls * usdPerCall,
  })
  const worstCalls = itemsPerRun * runsPerDay * callsPerItem
  const expectedCalls = newPerRun * runsPerDay * callsPerItem
  return {
    flow: measures.flow,
    intervalMinutes,
    runsPerDay,
    itemsPerRun,
    newPerRun,
    measured: measures.runs > 0,
    callsPerItem,
    usdPerCall,
    priceFrom: measures.priceFrom,
    fanOut: measures.callsPerItem === null ? measures.fanOut : null,
    expected: perDay(expectedCalls),
    worst: perDay(worstCalls),
    mitigations:
      callsPerItem === 0 ? [] : mitigationsOf(measures, worstCalls, expectedCalls, perDay),
  }
}

const mitigationsOf = (
  { intervalMinutes, modelActions, usdPerCall, cheaper, lowQualityShare }: FlowMeasures,
  worstCalls: number,
  expectedCalls: number,
  perDay: (calls: number) => PerDay,
): Mitigation[] => {
  const found: Mitigation[] = []
  if (intervalMinutes < CALM_INTERVAL_MINUTES) {
    const times = CALM_INTERVAL_MINUTES / intervalMinutes
    found.push({
      what: `every ${CALM_INTERVAL_MINUTES} minutes instead of ${intervalMinutes}: ${round(times)}x fewer`,
      saves: perDay(worstCalls * (1 - 1 / times)),
    })
  }
  if (worstCalls > expectedCalls) {
    found.push({ what: 'deduplication, which is on', saves: perDay(worstCalls - expectedCalls) })
  }
  if (modelActions > 1) {
    const share = lowQualityShare ?? ASSUMED_LOW_QUALITY
    const source =
      lowQualityShare === null ? 'if half of them are' : `${Math.round(share * 100)}% are`
    found.push({
      what: `rating first and dropping items rated below 50 (${source})`,
      saves: perDay((worstCalls * share * (modelActions - 1)) / modelActions),
    })
  }
  if (usdPerCall !== null && cheaper !== null && cheaper.usdPerCall < usdPerCall) {
    const usd = worstCalls * (usdPerCall - cheaper.usdPerCall)
    found.push({ what: `the cheaper model ${cheaper.model}`, saves: { calls: 0, usd } })
  }
  return found
}

const ASSUMED_LOW_QUALITY = 0.5

const round = (value: number): string => String(Math.round(value * 10) / 10)
