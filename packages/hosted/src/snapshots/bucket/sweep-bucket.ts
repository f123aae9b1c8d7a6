import { type StewardError, toStewardError } from '@steward/contract'
import type { HostedDatabase } from '../../database/hosted-database.ts'
import type { Bucket } from './bucket.ts'
import { dropOrphans, forgetObject, listGone } from './stored-object.ts'

export interface SweepPorts {
  database: HostedDatabase
  bucket: Bucket
  now: () => number
  repeat: (everyMs: number, action: () => void) => () => void
  report: (error: StewardError, where: string) => void
}

const LOOK_MS = 5000
const AT_ONCE = 100
/** After a failure. */
const PAUSE_MS = 300_000

/**
 * Deletes the objects of deleted sessions and replaced snapshots, beside any number of other
 * processes; returns how to stop.
 */
export const startBucketSweep = (ports: SweepPorts): (() => Promise<void>) => {
  const { database, now, report } = ports
  let stopped = false
  let notBefore = 0
  let working: Promise<void> | undefined
  const begin = (work: Promise<void>): void => {
    working = work
      .catch((thrown: unknown) => {
        notBefore = now() + PAUSE_MS
        report(toStewardError(thrown), 'hosted.snapshotBucket')
      })
      .finally(() => {
        working = undefined
      })
  }
  begin(database.write(() => dropOrphans(now())))
  const stop = ports.repeat(LOOK_MS, () => {
    if (working === undefined && now() >= notBefore) begin(sweep(ports, () => stopped))
  })
  return async () => {
    stopped = true
    stop()
    await working
  }
}

const sweep = async (
  { database, bucket }: Pick<SweepPorts, 'database' | 'bucket'>,
  isStopped: () => boolean,
): Promise<void> => {
  for (;;) {
    const gone = await database.read(() => listGone(bucket.name, AT_ONCE))
    for (const object of gone) {
      if (isStopped()) return
      await bucket.delete(object)
      await database.write(() => forgetObject(bucket.name, object))
    }
    if (gone.length < AT_ONCE) return
  }
}
