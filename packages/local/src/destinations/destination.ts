import type { Fields, FlowDestination } from '@steward/contract'

export type DestinationOf<Type extends FlowDestination['type']> = Extract<
  FlowDestination,
  { type: Type }
>

/** One finished item on its way out. */
export interface Delivery {
  flow: { id: string; name: string }
  item: { id: string; title: string | null }
  output: Fields
  /** It may have been delivered before, by a run that died: look before delivering again. */
  again: boolean
  now: Date
}

/** Where it went; kept in the run record. */
export type Receipt = Fields

export type Deliver<Type extends FlowDestination['type']> = (
  destination: DestinationOf<Type>,
  delivery: Delivery,
) => Promise<Receipt>
