import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PushSubscriptionKeys, pushSubscription } from '@steward/contract'
import { type Home, isMissing, takeVersion, withLock, writeStateFile } from '@steward/platform'
import { z } from 'zod'

/** `state/web-push.json`: our keys for web push, and the browsers that subscribed. */
const pushFile = z.object({
  /** VAPID keys, created on first use: browsers accept messages that are signed with them. */
  keys: z.object({ publicKey: z.string(), privateKey: z.string() }).optional(),
  subscriptions: z
    .array(pushSubscription.extend({ device: z.string(), name: z.string() }))
    .default([]),
})
type PushFile = z.infer<typeof pushFile>
export type StoredSubscription = PushFile['subscriptions'][number]

type Place = Pick<Home, 'databases'>
const pathOf = ({ databases }: Place): string => join(databases, 'web-push.json')
const LOCK_WAIT_MS = 5000
const MOST = 50

export const readWebPush = (home: Place): PushFile => {
  try {
    const content: unknown = JSON.parse(readFileSync(pathOf(home), 'utf8'))
    return pushFile.parse(takeVersion(content, pathOf(home)))
  } catch (thrown) {
    if (isMissing(thrown)) return { subscriptions: [] }
    throw thrown
  }
}

const update = (home: Place, change: (file: PushFile) => PushFile): Promise<PushFile> =>
  withLock(
    `${pathOf(home)}.lock`,
    async () => {
      const before = readWebPush(home)
      const next = change(before)
      // Readers of this file could send notifications to these browsers.
      if (next !== before) await writeStateFile(pathOf(home), next, { mode: 0o600 })
      return next
    },
    { waitMs: LOCK_WAIT_MS },
  )

/** The public key that browsers subscribe with; creates the keys on first use. */
export const ensureWebPushKey = async (home: Place): Promise<string> => {
  const known = readWebPush(home).keys
  if (known !== undefined) return known.publicKey
  const { default: webPush } = await import('web-push')
  const made = await update(home, (file) => ({
    ...file,
    keys: file.keys ?? webPush.generateVAPIDKeys(),
  }))
  return made.keys?.publicKey ?? ''
}

/** A device has one subscription; a browser that subscribes again gets its new one. */
export const addWebPush = async (
  home: Place,
  { id, name }: { id: string; name: string },
  { endpoint, keys }: PushSubscriptionKeys,
): Promise<void> => {
  await update(home, (file) => ({
    ...file,
    subscriptions: [
      ...file.subscriptions.filter((each) => each.device !== id && each.endpoint !== endpoint),
      { device: id, name, endpoint, keys },
    ].slice(-MOST),
  }))
}

/** Removes the subscription of a device, or the one with this address. */
export const removeWebPush = async (home: Place, deviceOrEndpoint: string): Promise<void> => {
  await update(home, (file) => {
    const kept = file.subscriptions.filter(
      ({ device, endpoint }) => device !== deviceOrEndpoint && endpoint !== deviceOrEndpoint,
    )
    return kept.length === file.subscriptions.length ? file : { ...file, subscriptions: kept }
  })
}
