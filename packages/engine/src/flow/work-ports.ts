import type { JsonObject, StewardError } from '@steward/contract'
import type { FlowItem } from './item.ts'
import type { ItemLedger } from './item-ledger.ts'
import type { LedgerChange } from './ledger-rows.ts'
import type { ItemOutcome } from './summary.ts'

export interface WorkPorts {
  ledger: Pick<ItemLedger, 'change' | 'changeAll'> &
    Partial<Pick<ItemLedger, 'changeDelivery' | 'forgetDeliveries' | 'toStorable'>>
  runId: string
  now: () => number
  random: () => number
  concurrency: number
  /** How many outputs are delivered at once; 1, the default, keeps their order. */
  deliveries?: number
  /** The keys of the destinations; one without a key by default. */
  destinations?: readonly string[]
  /** Stores the outputs for a digest instead of delivering them. */
  collects?: boolean
  giveUpAfterMs: number
  /** A scheduled run waits for the planned time of the next attempt; a person's run does not. */
  isScheduled: boolean
  /** Why no further item may be started in this run. */
  obstacle: (item: FlowItem) => StewardError | undefined
  /** Called before the first work on an item. */
  onStart: (item: FlowItem, index: number) => Promise<void>
  /** Runs the pipeline; `onProcessed` follows when the output is stored. */
  process: (item: FlowItem, index: number) => Promise<JsonObject>
  onProcessed?: (item: FlowItem) => void
  /** Delivers to one of the destinations, by its place in the list. */
  deliver: (item: FlowItem, output: JsonObject, destination: number) => Promise<void>
  /** Called in the same turn as the ledger's change, so that both can share a commit. */
  onEnd: (item: FlowItem, index: number, outcome: ItemOutcome) => Promise<void>
  /** The error of an item. Throws if the run itself must stop. */
  toFailure: (thrown: unknown) => StewardError
}

export interface WorkedItems {
  outcomes: ItemOutcome[]
  /** The error of the configuration that stopped the run. */
  blocked: StewardError | undefined
}

/** The steps of items in the run's record. */
export interface ItemSteps {
  start: (item: FlowItem, index: number) => Promise<void>
  hasStarted: (index: number) => boolean
  settle: (
    item: FlowItem,
    index: number,
    change: LedgerChange,
    outcome: ItemOutcome,
  ) => Promise<ItemOutcome>
}
