import {
  destinationsOf,
  type FlowDestination,
  type FlowItemView,
  identityOfEnd,
  type JsonObject,
} from '@steward/contract'
import { sha256Hex } from '../feed-format/sha256.ts'

export type DestinationOf<Type extends FlowDestination['type']> = Extract<
  FlowDestination,
  { type: Type }
>

/** One finished item to deliver. */
export interface Delivery {
  flow: { id: string; name: string }
  item: { id: string; title: string | null }
  output: JsonObject
  /** Set if the flow has several: which one. */
  destination?: string
  /** A run that died may have delivered it already: check before delivering again. */
  again: boolean
  now: Date
}

/** Where it was delivered; stored in the run record. */
export type Receipt = JsonObject

export type Deliver<Type extends FlowDestination['type']> = (
  destination: DestinationOf<Type>,
  delivery: Delivery,
) => Promise<Receipt>

/**
 * The readable text of an item: the pipeline’s `body`, otherwise its summary, otherwise its
 * content.
 */
export const bodyOf = (delivery: Pick<Delivery, 'item' | 'output'>): string => {
  const { item, output } = delivery
  return isText(output.body)
    ? output.body
    : `## ${item.title ?? item.id}\n\n${plainTextOf(delivery)}`
}

/** The same where the title is shown elsewhere. */
export const plainTextOf = ({ output }: Pick<Delivery, 'output'>): string => {
  const { body, summary, one_sentence_summary, content } = output
  const text = [body, summary, one_sentence_summary, content].find(isText)
  return text ?? JSON.stringify(output, null, 2)
}

/** The title of an item for people. */
export const titleOf = ({ item, output }: Pick<Delivery, 'item' | 'output'>): string =>
  isText(output.title) ? output.title : (item.title ?? item.id)

/** The address of an item on the web. */
export const webAddressOf = ({ output }: Pick<Delivery, 'output'>): string | undefined =>
  [output.url, output.source_url].find(
    (value): value is string => typeof value === 'string' && /^https?:\/\//i.test(value),
  )

/** Stable for the same item of the same flow, so that receivers can deduplicate. */
export const deliveryKey = ({
  flow,
  item,
  destination,
}: Pick<Delivery, 'flow' | 'item' | 'destination'>): string =>
  sha256Hex(
    [flow.id, item.id, ...(destination === undefined ? [] : [destination])].join('\0'),
  ).slice(0, 32)

/** The keys of a flow's destinations in the ledger: the same wherever they are in the list. */
export const destinationKeys = (flow: Parameters<typeof destinationsOf>[0]): string[] => {
  const all = destinationsOf(flow)
  return all.map((each) => sha256Hex(identityOfEnd(each)).slice(0, 16))
}

/** Items with the places and types of destinations instead of their keys. */
export const nameDestinations = (
  flow: Parameters<typeof destinationsOf>[0],
  items: readonly FlowItemView[],
): FlowItemView[] => {
  const types = destinationsOf(flow).map(({ type }, place) => `${place + 1} ${type}`)
  const names = new Map(destinationKeys(flow).map((key, place) => [key, types[place] ?? key]))
  return items.map((item) => {
    if (item.deliveries === undefined) return item
    const deliveries = item.deliveries.map((each) => ({
      ...each,
      destination: names.get(each.destination) ?? 'removed',
    }))
    return { ...item, deliveries }
  })
}

/** An item for machines: a line of a JSONL file, or an object. */
export const entryOf = ({ flow, item, output, now }: Delivery, key: string): JsonObject => ({
  key,
  flow: flow.name,
  item: item.id,
  title: item.title,
  delivered_at: now.toISOString(),
  output,
})

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
