import { randomUUID } from 'node:crypto'
import { type ChannelName, isPending } from '@steward/contract'
import type { OutgoingMessage } from '../channels/outgoing-message.ts'
import type { SendOutcome } from '../channels/send-outcome.ts'
import type { NewDelivery } from '../outbox/delivery.ts'

interface UnstoredPorts {
  /** Never throws. */
  send: (channel: ChannelName, message: OutgoingMessage) => Promise<SendOutcome>
  now: () => number
  say: (message: string) => void
}

const WINDOW_MS = 60_000
/** Limits direct sends, because without the outbox nothing is merged or delayed. */
const MOST = 5

/**
 * Sends a notice that could not be stored, once and immediately: the storage is full or broken,
 * which may be the very subject of the notice.
 */
export const createUnstoredSender = ({ send, now, say }: UnstoredPorts) => {
  let recent: number[] = []
  return (deliveries: readonly NewDelivery[]): void => {
    for (const delivery of deliveries) {
      if (delivery.skipped !== undefined) continue
      const { channel } = delivery
      recent = recent.filter((at) => isPending(at + WINDOW_MS, now(), WINDOW_MS))
      if (recent.length >= MOST) {
        say(
          `${channel}: "${delivery.title}" is lost: it could not be stored, and too many were sent`,
        )
        continue
      }
      recent.push(now())
      const message = { ...delivery, id: randomUUID(), createdAt: now(), count: 1 }
      send(channel, message).then((outcome) => {
        if (outcome.state === 'failed') say(`${channel}: ${outcome.error.message}`)
      }, say)
    }
  }
}
