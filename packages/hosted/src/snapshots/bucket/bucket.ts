import { createHash } from 'node:crypto'
import { type Fetch, reasonOf, type SnapshotBucketSettings, StewardError } from '@steward/contract'
import { requiredSecret, type S3Request, signS3Request } from '@steward/engine'
import { refusalOf } from './refusal.ts'

export interface BucketPorts {
  settings: SnapshotBucketSettings
  env: Readonly<Record<string, string | undefined>>
  fetch: Fetch
  now: () => number
  sleep: (ms: number) => Promise<unknown>
}

/** What an object must contain. */
export interface ObjectMark {
  size: number
  sha256: string
}

/** Objects in an S3-compatible bucket. */
export interface Bucket {
  /** Its address, as shown in messages and stored in rows. */
  name: string
  prefix: string
  put(object: string, content: Uint8Array<ArrayBuffer>): Promise<ObjectMark>
  /** Fails unless the content is what was put. */
  get(object: string, mark: ObjectMark): Promise<Uint8Array>
  /** Succeeds too if there is no such object. */
  delete(object: string): Promise<void>
}

/** Delays before the second and the third attempt. */
const PAUSES_MS = [500, 3000]
/** For one object. */
const TIMEOUT_MS = 120_000
const EMPTY = createHash('sha256').digest('hex')

export const createBucket = ({ settings, env, fetch, now, sleep }: BucketPorts): Bucket => {
  const secret = (given: string) =>
    requiredSecret(given, (name) => env[name] || undefined, 'hosted.snapshotBucket')
  const keys = {
    accessKeyId: secret(settings.accessKeyId),
    secretAccessKey: secret(settings.secretAccessKey),
  }
  const name = `${settings.endpoint.replace(/\/+$/, '')}/${settings.bucket}`

  const attempt = async <T>(
    request: Pick<S3Request, 'method' | 'object' | 'bodyHash'>,
    body: Uint8Array<ArrayBuffer> | undefined,
    read: (response: Response) => Promise<T>,
  ): Promise<T> => {
    const signed = await signS3Request(settings, { ...request, ...keys, now: new Date(now()) })
    const response = await fetch(signed.url, {
      method: request.method,
      headers: signed.headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body }),
    })
    if (response.ok) return read(response)
    throw await refusalOf(response, { bucket: name, settings, object: request.object })
  }

  /** Retries after temporary failures: a lost connection, an overloaded or failing service. */
  const send: typeof attempt = async (request, body, read) => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await attempt(request, body, read)
      } catch (thrown) {
        const error =
          thrown instanceof StewardError
            ? thrown
            : new StewardError('upstream_failed', {
                service: `the bucket ${name}`,
                reason: reasonOf(thrown),
              })
        const pauseMs = PAUSES_MS[tries]
        if (!error.retryable || pauseMs === undefined) throw error
        await sleep(pauseMs)
      }
    }
  }

  const unreadable = (object: string, reason: string): StewardError =>
    new StewardError('snapshot_unreadable', { object, bucket: name, reason })

  return {
    name,
    prefix: settings.prefix,
    put: async (object, content) => {
      const sha256 = createHash('sha256').update(content).digest('hex')
      await send({ method: 'PUT', object, bodyHash: sha256 }, content, cancel)
      return { size: content.length, sha256 }
    },
    get: async (object, { size, sha256 }) => {
      const content = await send(
        { method: 'GET', object, bodyHash: EMPTY },
        undefined,
        async (response) => readUpTo(response, size),
      )
      if (content === undefined || content.length !== size)
        throw unreadable(object, 'does not have the size that it was stored with')
      if (createHash('sha256').update(content).digest('hex') !== sha256)
        throw unreadable(object, 'was changed: its checksum is not the stored one')
      return content
    },
    delete: async (object) => {
      try {
        await send({ method: 'DELETE', object, bodyHash: EMPTY }, undefined, cancel)
      } catch (thrown) {
        const isGone = thrown instanceof StewardError && thrown.code === 'snapshot_unreadable'
        if (!isGone) throw thrown
      }
    },
  }
}

const cancel = async (response: Response): Promise<void> => {
  await response.body?.cancel()
}

/** Undefined if there is more. */
const readUpTo = async (response: Response, size: number): Promise<Uint8Array | undefined> => {
  const pieces: Uint8Array[] = []
  let held = 0
  for await (const piece of response.body ?? []) {
    held += piece.length
    if (held > size) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
