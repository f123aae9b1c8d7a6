import type { UsageOrigin } from '@steward/contract'
import { createPricer, type PriceTable } from '@steward/models'
import { keyOf } from './call-key.ts'
import type { UsageCall } from './usage-reader.ts'
import { NANO, QUARTER_MS } from './usage-sums.ts'

export type SentSource = 'logs' | 'metrics'
type CallSource = 'record' | 'copy' | SentSource | 'rest'

/** What many calls share, with an empty text where there is none. */
export interface CallContext {
  /** Of all other values. */
  hash: number
  assistant: UsageOrigin
  session: string
  source: CallSource
  model: string
  subagent: string
  project: string
  branch: string
  flow: string
}

/** Calls as they are stored, in a form that other threads get without a copy. */
export interface PackedCalls {
  contexts: CallContext[]
  /** The columns of each call, `NaN` for one without a value; the context is a place in `contexts`. */
  numbers: Float64Array<ArrayBuffer>
}

export interface CallPacker {
  add: (assistant: UsageOrigin, call: UsageCall, source: CallSource) => void
  /** How many were added since the last `take`. */
  count: () => number
  take: () => PackedCalls
}

/** Columns of a call. */
export const COLUMNS = 11
const FIRST_CALLS = 256
/** Calls of a session differ in little but their model. */
const NEAR_CONTEXTS = 4

export const createCallPacker = (prices: PriceTable | undefined): CallPacker => {
  let numbers = new Float64Array(FIRST_CALLS * COLUMNS)
  let used = 0
  const price = createPricer(prices)
  let contexts: CallContext[] = []
  const places = new Map<string, number>()

  const placeOf = (assistant: UsageOrigin, call: UsageCall, source: CallSource): number => {
    const far = Math.max(0, contexts.length - NEAR_CONTEXTS)
    for (let place = contexts.length - 1; place >= far; place--) {
      const near = contexts[place]
      if (near !== undefined && isOf(near, assistant, call, source)) return place
    }
    const { session, model, subagent = '', project = '', branch = '', flow = '' } = call
    const name = [assistant, session, source, model, subagent, project, branch, flow].join('\0')
    const known = places.get(name)
    if (known !== undefined) return known
    const values = { assistant, session, source, model, subagent, project, branch, flow }
    const place = contexts.push({ hash: keyOf(name), ...values }) - 1
    places.set(name, place)
    return place
  }

  return {
    count: () => used / COLUMNS,
    add: (assistant, call, source) => {
      if (used === numbers.length) numbers = enlarge(numbers)
      const { id, model, atMs, tokens, costUsd, computedUsd } = call
      const computed = computedUsd === undefined ? price(model, tokens) : null
      numbers[used++] = typeof id === 'number' ? id : keyOf(`${assistant} ${id}`)
      numbers[used++] = placeOf(assistant, call, source)
      numbers[used++] = atMs
      numbers[used++] = tokens.input
      numbers[used++] = tokens.output
      numbers[used++] = tokens.cacheRead
      numbers[used++] = tokens.cacheWrite5m
      numbers[used++] = tokens.cacheWrite1h
      numbers[used++] = toNano(costUsd)
      numbers[used++] = computed ?? toNano(computedUsd)
      numbers[used++] = Math.trunc(atMs / QUARTER_MS)
    },
    take: () => {
      const packed = { contexts, numbers: numbers.slice(0, used) }
      contexts = []
      places.clear()
      used = 0
      return packed
    },
  }
}

const enlarge = (numbers: Float64Array): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}

const isOf = (
  context: CallContext,
  assistant: UsageOrigin,
  { session, model, subagent = '', project = '', branch = '', flow = '' }: UsageCall,
  source: CallSource,
): boolean =>
  context.session === session &&
  context.model === model &&
  context.subagent === subagent &&
  context.project === project &&
  context.branch === branch &&
  context.flow === flow &&
  context.assistant === assistant &&
  context.source === source

const toNano = (usd: number | null | undefined): number =>
  usd === null || usd === undefined ? Number.NaN : Math.round(usd * NANO)
