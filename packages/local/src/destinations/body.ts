import { createHash } from 'node:crypto'
import type { Delivery } from './destination.ts'

/** What a person reads of an item: the pipeline’s `body`, else its summary, else its content. */
export const bodyOf = ({ item, output }: Delivery): string => {
  const text = [output.body, output.summary, output.one_sentence_summary, output.content].find(
    isText,
  )
  if (isText(output.body)) return output.body
  return `## ${item.title ?? item.id}\n\n${text ?? JSON.stringify(output, null, 2)}`
}

/** The same for the same item of the same flow, for ever: receivers recognise a repetition by it. */
export const deliveryKey = ({ flow, item }: Pick<Delivery, 'flow' | 'item'>): string =>
  createHash('sha256').update(`${flow.id}\0${item.id}`).digest('hex').slice(0, 32)

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
