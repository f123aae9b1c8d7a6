import { z } from 'zod'

/** A signed call that the user's own worker accepted and keeps until the daemon has it. */
export const heldDelivery = z.object({
  /** The flow's id. */
  flow: z.string(),
  /** Senders repeat a delivery under the same id. */
  id: z.string(),
  /** JSON. */
  body: z.string(),
  fingerprint: z.string().nullable(),
  receivedAt: z.iso.datetime(),
})
export type HeldDelivery = z.infer<typeof heldDelivery>

/** `GET /inbox?flow=ID&flow=ID` of that worker: the oldest calls of these flows. */
export const inboxPage = z.object({ deliveries: z.array(heldDelivery) })

/** `POST /inbox/ack`: these are on the disk of the daemon. */
export const inboxReceipt = z.strictObject({
  deliveries: z.array(z.strictObject({ flow: z.string(), id: z.string() })).max(100),
})
