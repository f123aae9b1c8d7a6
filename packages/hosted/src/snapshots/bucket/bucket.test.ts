import { type SnapshotBucketSettings, StewardError, toStewardError } from '@steward/contract'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { checkBucket } from './check-bucket.ts'
import { openTestBucket } from './testing/open-test-bucket.ts'
import { S3_KEYS, type S3Server, startS3Server } from './testing/s3-server.ts'

let s3: S3Server
let slept: number[]
beforeAll(async () => {
  s3 = await startS3Server()
})
afterAll(() => s3.stop())
beforeEach(() => {
  slept = []
  s3.objects.clear()
  s3.requests.length = 0
  s3.answer = () => undefined
})

const open = (settings: Partial<SnapshotBucketSettings> = {}, env?: Record<string, string>) =>
  openTestBucket(s3, {
    settings,
    sleep: async (ms) => slept.push(ms),
    ...(env === undefined ? {} : { env }),
  })
const bytes = (text: string) => new TextEncoder().encode(text)
const failureOf = (work: Promise<unknown>): Promise<StewardError> =>
  work.then(
    () => new StewardError('internal', { reason: 'nothing failed' }),
    (thrown: unknown) => toStewardError(thrown),
  )
const ignore = () => undefined

it('puts, gets and deletes objects, with signatures that the service accepts', async () => {
  const bucket = open()
  const content = crypto.getRandomValues(new Uint8Array(60_000))
  const mark = await bucket.put('a/b+c/0', content)
  expect(mark.size).toBe(60_000)
  expect(Buffer.compare(await bucket.get('a/b+c/0', mark), content)).toBe(0)
  await bucket.delete('a/b+c/0')
  await bucket.delete('a/b+c/0')
  expect(s3.objects.size).toBe(0)
  expect(slept).toEqual([])
})

it('detects objects that are missing, longer, shorter or changed', async () => {
  const bucket = open()
  const mark = await bucket.put('a/0', bytes('content'))
  const readAs = (stored: string) => {
    s3.objects.set('a/0', Buffer.from(stored))
    return failureOf(bucket.get('a/0', mark))
  }
  for (const other of ['content and more', 'con'])
    expect((await readAs(other)).message).toMatch(/does not have the size/)
  const changed = await readAs('Content')
  expect(changed).toMatchObject({ code: 'snapshot_unreadable', retryable: false })
  expect(changed.message).toBe(
    `the object a/0 in the bucket ${bucket.name} was changed: its checksum is not the stored one`,
  )
  expect((await failureOf(bucket.get('a/other', mark))).message).toMatch(/is missing$/)
})

it.each([
  ['a wrong key id', {}, { KEY_ID: 'AKIAOTHER', KEY: 'x' }, /in the secret KEY_ID is unknown/],
  ['a wrong key', {}, { KEY_ID: S3_KEYS.id, KEY: 'x' }, /secret KEY does not belong to .* KEY_ID/],
  ['a wrong bucket', { bucket: 'other' }, undefined, /there is no bucket other; create it/],
  ['a wrong region', { region: 'auto' }, undefined, /hosted.snapshotBucket.region/],
])('names %s at the start', async (_, given, env, words) => {
  const error = await failureOf(checkBucket(open(given, env), 'home', ignore))
  expect(error).toMatchObject({ code: 'bucket_refused', retryable: false })
  expect(error.message).toMatch(words)
})

it('names a right that the key lacks, and a secret that is not set', async () => {
  s3.answer = (request) =>
    request.startsWith('DELETE') ? { status: 403, code: 'AccessDenied' } : undefined
  const error = await failureOf(checkBucket(open(), 'home', ignore))
  expect(error.message).toMatch(/status 403, AccessDenied: the key may not do this below "a\/"/)
  expect(() => open({}, { KEY_ID: 'x' })).toThrow(/the secret KEY is not set/)
})

it('retries temporary failures, and starts during an outage', async () => {
  let failing = 2
  s3.answer = () => (failing-- > 0 ? { status: 503, code: 'SlowDown' } : undefined)
  await open().put('a/0', bytes('1'))
  expect([slept.length, s3.requests.length]).toEqual([2, 3])

  s3.answer = () => ({ status: 503, code: 'SlowDown' })
  const reported: string[] = []
  await checkBucket(open(), 'home', ({ code }) => reported.push(code))
  expect(reported).toEqual(['upstream_failed'])

  const away = open({ endpoint: 'http://127.0.0.1:9' })
  expect(await failureOf(away.delete('a/0'))).toMatchObject({ code: 'upstream_failed' })
})
