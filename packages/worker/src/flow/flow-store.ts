import { type FlowEntry, type FlowRunSummary, flowState } from '@steward/contract'
import { type FlowStateEntry, stateAfterRun } from '@steward/engine'
import type { KvNamespace } from '../bindings.ts'

/** The state of a flow worker between invocations, in the KV namespace FLOW_STATE. */
export interface FlowStore {
  readState: () => Promise<FlowStateEntry | undefined>
  /** Returns the state before the run. */
  recordRun: (summary: FlowRunSummary) => Promise<FlowStateEntry | undefined>
  /** When the schedule last started the flow: needed if cron ticks more often than its interval. */
  readLastStart: () => Promise<Date | null>
  writeLastStart: (at: Date) => Promise<void>
  /** The flow's model spending in USD on a day (UTC). */
  readSpent: (day: Date) => Promise<number>
  writeSpent: (day: Date, usd: number) => Promise<void>
}

const entryShape = flowState.shape.flows.valueType

/** What this isolate wrote last, by key: read back unchanged, it need not be checked again. */
const written = new Map<string, { text: string; entry: FlowStateEntry }>()

export const createFlowStore = (kv: KvNamespace, flow: FlowEntry): FlowStore => {
  const stateKey = `state:${flow.id}`
  const startKey = `started:${flow.id}`
  const spentKey = (day: Date) => `spent:${flow.id}:${day.toISOString().slice(0, 10)}`
  const parse = (text: string | null) =>
    text === null ? undefined : entryShape.parse(JSON.parse(text))
  return {
    readState: async () => parse(await kv.get(stateKey)),
    recordRun: async (summary) => {
      const before = await kv.get(stateKey)
      const own = written.get(stateKey)
      const known = own !== undefined && own.text === before ? own.entry : parse(before)
      const entry = stateAfterRun(known, flow, summary)
      const text = JSON.stringify(entry)
      await kv.put(stateKey, text)
      written.set(stateKey, { text, entry })
      return known
    },
    readLastStart: async () => {
      const text = await kv.get(startKey)
      return text === null ? null : new Date(text)
    },
    writeLastStart: (at) => kv.put(startKey, at.toISOString()),
    readSpent: async (day) => Number((await kv.get(spentKey(day))) ?? 0),
    writeSpent: (day, usd) => kv.put(spentKey(day), String(usd)),
  }
}
