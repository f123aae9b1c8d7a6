import { type StewardError, toStewardError } from '@steward/contract'
import { isRejection } from './classify-failure.ts'
import type { ItemLedger } from './item-ledger.ts'

/**
 * Delivers one item of a queue to every destination. Messages are retried as a whole, so what each
 * destination has is stored: it does not get the item again.
 */
export const deliverEverywhere = async (
  item: string,
  destinations: readonly string[],
  ledger: Pick<ItemLedger, 'deliveredTo' | 'changeDelivery'>,
  deliver: (place: number) => Promise<unknown>,
): Promise<void> => {
  if (destinations.length === 1) {
    await deliver(0)
    return
  }
  const done = await ledger.deliveredTo(item)
  const results = await Promise.allSettled(
    destinations.map(async (key, place) => {
      if (done.has(key)) return
      await deliver(place)
      await ledger.changeDelivery([item], key, { state: 'delivered' })
    }),
  )
  const errors = results.flatMap((result): StewardError[] =>
    result.status === 'rejected' ? [toStewardError(result.reason)] : [],
  )
  // A destination that may take the item later decides, because a rejection would end the message.
  const [first] = [...errors.filter((error) => !isRejection(error)), ...errors]
  if (first !== undefined) throw first
}
