import { type StewardError, toStewardError } from '@steward/contract'
import type { Bucket } from './bucket.ts'

/**
 * Puts, gets and deletes an object, so that wrong settings are noticed at the start and not when a
 * session needs its files. An outage is only reported, because it will end.
 */
export const checkBucket = async (
  bucket: Bucket,
  homeId: string,
  report: (error: StewardError, where: string) => void,
): Promise<void> => {
  const object = `${bucket.prefix}check-${homeId}`
  try {
    const mark = await bucket.put(object, new TextEncoder().encode('steward'))
    await bucket.get(object, mark)
    await bucket.delete(object)
  } catch (thrown) {
    const error = toStewardError(thrown)
    if (!error.retryable) throw error
    report(error, 'hosted.snapshotBucket')
  }
}
