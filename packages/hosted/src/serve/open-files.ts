import { setTimeout as sleep } from 'node:timers/promises'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { SessionFiles } from '../hands/session-files.ts'
import { type Bucket, createBucket } from '../snapshots/bucket/bucket.ts'
import { checkBucket } from '../snapshots/bucket/check-bucket.ts'
import { createSessionSnapshots } from '../snapshots/session-snapshots.ts'
import { createSnapshotPieces, type SnapshotPieces } from '../snapshots/snapshot-pieces.ts'
import type { StartHostedOptions } from './hosted-options.ts'

const MIB = 1024 ** 2

/** Stores the files of sessions for other machines. */
export interface OpenFiles {
  pieces: SnapshotPieces
  /** Absent if they stay here. */
  bucket: Bucket | undefined
  files: SessionFiles | undefined
  /** Shown to people. */
  description: string
}

/** Fails if the bucket refuses an operation that a server of this role needs. */
export const openFiles = async (
  { settings, env, role, report }: StartHostedOptions,
  database: HostedDatabase,
  homeId: string,
): Promise<OpenFiles> => {
  const { snapshotBucket, snapshotMb } = settings
  const isOff = snapshotMb === 0
  const bucket =
    snapshotBucket === undefined || isOff
      ? undefined
      : createBucket({ settings: snapshotBucket, env, fetch, now: Date.now, sleep })
  if (bucket !== undefined && role !== 'api') await checkBucket(bucket, homeId, report)
  const pieces = createSnapshotPieces({ database, bucket, now: Date.now })
  // A store on this machine has one data home, which has all files anyway.
  const isAlone = database.engine === 'sqlite' && bucket === undefined
  if (isOff || isAlone)
    return { pieces, bucket, files: undefined, description: 'stay in the data home' }
  const maxBytes = snapshotMb * MIB
  const place = bucket === undefined ? 'the store' : `the bucket ${bucket.name}`
  return {
    pieces,
    bucket,
    files: createSessionSnapshots({ database, pieces, homeId, maxBytes, now: Date.now, report }),
    description: `stored in ${place} after each turn, up to ${snapshotMb} MB of a session`,
  }
}
