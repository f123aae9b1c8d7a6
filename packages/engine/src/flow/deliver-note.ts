import type { JsonObject } from '@steward/contract'
import {
  type Deliver,
  type DestinationOf,
  deliveryKey,
  plainTextOf,
  titleOf,
  webAddressOf,
} from './delivery.ts'
import { fillText } from './fill-text.ts'

/** A note of the knowledge archive about an item. */
export interface FlowNote {
  /** Stable for the same item, so that it is written once. */
  key: string
  domain: DestinationOf<'note'>['domain']
  title: string
  body: string
  tags: readonly string[]
  /** Further fields of the front matter. */
  fields: Readonly<Record<string, string>>
}

/** Writes a note once; never changes or replaces a note that exists. */
export type WriteNote = (note: FlowNote) => Promise<JsonObject>

const LONGEST_TITLE = 200

export const createNoteDelivery =
  (write: WriteNote): Deliver<'note'> =>
  async ({ domain, title, tags = [] }, delivery) => {
    const { flow, output } = delivery
    const own = titleOf(delivery)
    const whole = title === undefined ? own : fillText(title, { ...output, title: own })
    const name = whole.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_TITLE).trim()
    const link = webAddressOf(delivery)
    return write({
      key: deliveryKey(delivery),
      domain,
      title: name || delivery.item.id.slice(0, LONGEST_TITLE),
      body: `# ${name}\n\n${plainTextOf(delivery).trim()}\n`,
      tags,
      fields: { flow: flow.name, ...(link === undefined ? {} : { source: link }) },
    })
  }
