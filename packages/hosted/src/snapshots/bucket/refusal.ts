import { type SnapshotBucketSettings, StewardError } from '@steward/contract'

interface Refused {
  /** Its name in messages. */
  bucket: string
  settings: SnapshotBucketSettings
  object: string
}

/** Enough for the code of any error. */
const LONGEST_ANSWER = 64 * 1024

/** What the answer of a bucket means: a missing object, wrong settings, or a reason to try again. */
export const refusalOf = async (response: Response, refused: Refused): Promise<StewardError> => {
  const { bucket, object, settings } = refused
  const { status } = response
  const code = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(await readStart(response))?.[1]
  const said = code === undefined ? `status ${status}` : `status ${status}, ${code}`
  if (status >= 500 || PASSING.has(status) || PASSING_CODES.has(code ?? ''))
    return new StewardError('upstream_failed', { service: `the bucket ${bucket}`, reason: said })
  if (status === 404 && code !== 'NoSuchBucket')
    return new StewardError('snapshot_unreadable', { object, bucket, reason: 'is missing' })
  return new StewardError('bucket_refused', {
    bucket,
    reason: `${said}: ${adviceFor(code, settings)}`,
  })
}

const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429])
const PASSING_CODES: ReadonlySet<string> = new Set(['RequestTimeout', 'SlowDown'])

const adviceFor = (
  code: string | undefined,
  { accessKeyId, secretAccessKey, prefix, bucket }: SnapshotBucketSettings,
): string => {
  switch (code) {
    case 'InvalidAccessKeyId':
      return `the key id in the secret ${accessKeyId} is unknown`
    case 'SignatureDoesNotMatch':
      return `the secret ${secretAccessKey} does not belong to the key id in ${accessKeyId}`
    case 'NoSuchBucket':
      return `there is no bucket ${bucket}; create it, or correct hosted.snapshotBucket.bucket`
    case 'AuthorizationHeaderMalformed':
    case 'IllegalLocationConstraintException':
    case 'PermanentRedirect':
    case 'TemporaryRedirect':
      return 'the bucket is in another region; correct hosted.snapshotBucket.region and endpoint'
    case 'RequestTimeTooSkewed':
      return 'the clock of this machine is wrong'
    case 'AccessDenied':
      return `the key may not do this below "${prefix}"`
    default:
      return 'check endpoint, bucket, region and keys'
  }
}

const readStart = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > LONGEST_ANSWER) break
  }
  return text
}
