import type { FlowDestination, JsonObject } from '@steward/contract'
import { sha256Hex } from '../feed-format/sha256.ts'

export type DestinationOf<Type extends FlowDestination['type']> = Extract<
  FlowDestination,
  { type: Type }
>

/** One finished item on its way out. */
export interface Delivery {
  flow: { id: string; name: string }
  item: { id: string; title: string | null }
  output: JsonObject
  /** It may have been delivered before, by a run that died: look before delivering again. */
  again: boolean
  now: Date
}

/** Where it went; kept in the run record. */
export type Receipt = JsonObject

export type Deliver<Type extends FlowDestination['type']> = (
  destination: DestinationOf<Type>,
  delivery: Delivery,
) => Promise<Receipt>

/** What a person reads of an item: the pipeline’s `body`, else its summary, else its content. */
export const bodyOf = (delivery: Pick<Delivery, 'item' | 'output'>): string => {
  const { item, output } = delivery
  return isText(output.body)
    ? output.body
    : `## ${item.title ?? item.id}\n\n${plainTextOf(delivery)}`
}

/** The same where its title stands elsewhere. */
export const plainTextOf = ({ output }: Pick<Delivery, 'output'>): string => {
  const { body, summary, one_sentence_summary, content } = output
  const text = [body, summary, one_sentence_summary, content].find(isText)
  return text ?? JSON.stringify(output, null, 2)
}

/** The same for the same item of the same flow, for ever: receivers recognise a repetition by it. */
export const deliveryKey = ({ flow, item }: Pick<Delivery, 'flow' | 'item'>): string =>
  sha256Hex(`${flow.id}\0${item.id}`).slice(0, 32)

/** An item as a machine reads it: a line of a JSONL file, an object of its own. */
export const entryOf = ({ flow, item, output, now }: Delivery, key: string): JsonObject => ({
  key,
  flow: flow.name,
  item: item.id,
  title: item.title,
  delivered_at: now.toISOString(),
  output,
})

export const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== ''
