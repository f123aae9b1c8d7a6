import {
  actionsIn,
  type FlowEntry,
  OFFLINE_MODEL,
  type PipelineStep,
  type RunRecord,
} from '@steward/contract'
import { meanMinutesOf } from '@steward/engine'
import { PRICES, type Price, type ProviderChoice } from '@steward/models'
import type { LocalRuntime } from '@steward/runner'
import { z } from 'zod'
import type { FlowMeasures } from './cost-estimate.ts'

/** Runs to examine: enough to be typical, few enough to read completely. */
const RECENT_RUNS = 20
/** A call of a labelling action if none was recorded: the cost note's thousand tokens. */
const TYPICAL_CALL = { input: 800, output: 200 }
const MILLION = 1_000_000
/** Rated items needed before a share is meaningful. */
const ENOUGH_RATED = 20
const LOW_QUALITY = 50

const flowOutput = z.object({
  items: z.object({
    found: z.number(),
    delivered: z.number(),
    rejected: z.number(),
    failed: z.number(),
    waiting: z.number().default(0),
  }),
})

/** Measures a flow from the history, the price table and the pipeline's manifests. */
export const measureFlow = async (
  { history, catalog, feeds }: Pick<LocalRuntime, 'history' | 'catalog' | 'feeds'>,
  flow: FlowEntry,
  choice: Pick<ProviderChoice, 'provider' | 'models'>,
): Promise<FlowMeasures> => {
  const runs = history
    .list({ name: flow.name, primitive: 'flow', limit: RECENT_RUNS })
    .filter(({ status }) => status === 'completed' || status === 'failed')
  const counts = runs.flatMap(({ id }) => {
    const parsed = flowOutput.safeParse(history.get(id)?.output)
    return parsed.success ? [parsed.data.items] : []
  })
  const worked = counts.reduce(
    (sum, each) => sum + each.delivered + each.rejected + each.failed + each.waiting,
    0,
  )
  const spends = runs.map(({ id }) => history.spend({ runId: id }))
  const calls = spends.reduce((sum, each) => sum + each.calls, 0)
  return {
    flow: flow.name,
    intervalMinutes: meanMinutesOf(flow.schedule),
    ...countModelActions(catalog, flow.pipeline),
    iterations: flow.loop?.maxIterations ?? 1,
    runs: counts.length,
    foundPerRun:
      counts.length === 0
        ? null
        : counts.reduce((sum, { found }) => sum + found, 0) / counts.length,
    newPerRun: counts.length === 0 ? null : worked / counts.length,
    callsPerItem: worked === 0 || calls === 0 ? null : calls / worked,
    ...priceOf(spends, choice),
    cheaper: cheapestLike(choice.models.fast),
    lowQualityShare: shareOfLowQuality(feeds),
  }
}

type ModelActions = Pick<FlowMeasures, 'modelActions' | 'fanOut'>

const countModelActions = (
  catalog: LocalRuntime['catalog'],
  pipeline: string | undefined,
): ModelActions => {
  if (pipeline === undefined) return { modelActions: 0, fanOut: null }
  const { actions } = catalog.pipelines.load(pipeline).definition
  return countInSteps(actions, (name) =>
    catalog.actions.read(name).manifest.requires.includes('llm'),
  )
}

/** With the most elements that each fan-out works on; without a `max`, for one element. */
export const countInSteps = (
  steps: readonly PipelineStep[],
  callsModel: (action: string) => boolean,
): ModelActions => {
  let modelActions = 0
  let fanOut: FlowMeasures['fanOut'] = null
  const add = (inner: ModelActions, times = 1) => {
    modelActions += inner.modelActions * times
    if (fanOut !== 'per element') fanOut = inner.fanOut ?? fanOut
  }
  for (const step of steps) {
    if (typeof step === 'string' || !('each' in step || 'parallel' in step)) {
      const names = actionsIn([step])
      add({ modelActions: names.filter(callsModel).length, fanOut: null })
    } else if ('parallel' in step) {
      for (const branch of step.parallel) add(countInSteps(branch, callsModel))
    } else {
      const inner = countInSteps(step.do, callsModel)
      if (inner.modelActions === 0) continue
      add(inner, step.max ?? 1)
      add({ modelActions: 0, fanOut: step.max === undefined ? 'per element' : 'at most' })
    }
  }
  return { modelActions, fanOut }
}

const priceOf = (
  spends: readonly RunRecord['spend'][],
  { provider, models }: Pick<ProviderChoice, 'provider' | 'models'>,
): Pick<FlowMeasures, 'usdPerCall' | 'priceFrom'> => {
  const paid = spends.filter(
    ({ calls, cost, models: used }) =>
      calls > 0 && cost !== null && !used.every((name) => name === OFFLINE_MODEL),
  )
  const calls = paid.reduce((sum, each) => sum + each.calls, 0)
  if (calls > 0) {
    const cost = paid.reduce((sum, each) => sum + (each.cost ?? 0), 0)
    return { usdPerCall: cost / calls, priceFrom: 'history' }
  }
  if (provider === 'offline' || provider === 'ollama') return { usdPerCall: 0, priceFrom: 'free' }
  const price = PRICES[models.fast]
  if (price === undefined) return { usdPerCall: null, priceFrom: 'unknown' }
  return { usdPerCall: typicalCost(price), priceFrom: 'price table' }
}

const typicalCost = ({ input, output }: Price): number =>
  (TYPICAL_CALL.input * input + TYPICAL_CALL.output * output) / MILLION

/** Models of one vendor share the first word of their names. */
const cheapestLike = (model: string): FlowMeasures['cheaper'] => {
  const [vendor] = model.split('-')
  const like = Object.entries(PRICES)
    .filter(([name]) => name.startsWith(`${vendor}-`))
    .map(([name, price]) => ({ model: name, usdPerCall: typicalCost(price) }))
    .toSorted((a, b) => a.usdPerCall - b.usdPerCall)
  return like[0] ?? null
}

const RATED_ROWS = 1000

const shareOfLowQuality = (feeds: LocalRuntime['feeds']): number | null => {
  const scores = feeds
    .database()
    .listItems(RATED_ROWS)
    .flatMap(({ quality_score }) => (quality_score === null ? [] : [quality_score]))
  if (scores.length < ENOUGH_RATED) return null
  return scores.filter((score) => score < LOW_QUALITY).length / scores.length
}
