import { type PushSubscriptionKeys, reasonOf } from '@steward/contract'
import { addWebPush, ensureWebPushKey, readWebPush, removeWebPush } from '@steward/notify'
import type { AttentionPorts } from '../ports.ts'

/** Subscriptions of devices to web push. The channel `webpush` sends to them. */
export interface PushSubscriptions {
  /** The key that browsers subscribe with, created on first use; null if that failed. */
  publicKey: () => Promise<string | null>
  add: (device: { id: string; name: string }, subscription: PushSubscriptionKeys) => Promise<void>
  remove: (deviceId: string) => Promise<void>
  has: (deviceId: string) => boolean
}

export const createPushSubscriptions = ({
  home,
  log,
}: Pick<AttentionPorts, 'home' | 'log'>): PushSubscriptions => {
  let key: string | null = null
  const attempt = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (thrown) {
      log.warn(`attention: web push: ${reasonOf(thrown)}`)
      return undefined
    }
  }
  return {
    publicKey: async () => {
      key ??= (await attempt(() => ensureWebPushKey(home))) ?? null
      return key
    },
    add: (device, subscription) => addWebPush(home, device, subscription),
    remove: async (deviceId) => {
      await attempt(() => removeWebPush(home, deviceId))
    },
    has: (deviceId) => {
      try {
        return readWebPush(home).subscriptions.some(({ device }) => device === deviceId)
      } catch {
        // `publicKey` and `remove` report a file that cannot be read.
        return false
      }
    },
  }
}
