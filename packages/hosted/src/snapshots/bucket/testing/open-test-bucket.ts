import type { SnapshotBucketSettings } from '@steward/contract'
import { type Bucket, createBucket } from '../bucket.ts'
import { S3_KEYS, type S3Server } from './s3-server.ts'

interface TestBucketOptions {
  settings?: Partial<SnapshotBucketSettings>
  env?: Record<string, string>
  sleep?: (ms: number) => Promise<unknown>
}

/** The bucket of a stand-in; objects are below `a/`. */
export const openTestBucket = (
  { endpoint, bucket, region }: S3Server,
  { settings, env, sleep }: TestBucketOptions = {},
): Bucket =>
  createBucket({
    settings: {
      ...{ endpoint, bucket, region, prefix: 'a/', pathStyle: true },
      ...{ accessKeyId: 'KEY_ID', secretAccessKey: 'KEY' },
      ...settings,
    },
    env: env ?? { KEY_ID: S3_KEYS.id, KEY: S3_KEYS.secret },
    fetch,
    now: Date.now,
    sleep: sleep ?? (async () => undefined),
  })
