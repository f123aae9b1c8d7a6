import { AwsV4Signer } from 'aws4fetch'

/** A bucket of an S3-compatible service. */
export interface S3Bucket {
  endpoint: string
  bucket: string
  region: string
  /** false: the bucket is the first part of the host name. */
  pathStyle?: boolean
}

export interface S3Request {
  method: 'GET' | 'PUT' | 'DELETE'
  /** The name of the object in the bucket. */
  object: string
  /** SHA-256 of the body as hex. */
  bodyHash: string
  headers?: Readonly<Record<string, string>>
  accessKeyId: string
  secretAccessKey: string
  now: Date
}

export interface SignedS3Request {
  url: string
  headers: Record<string, string>
}

/** Signs a request for one object; the signature covers its body. */
export const signS3Request = async (
  bucket: S3Bucket,
  { method, object, bodyHash, headers, accessKeyId, secretAccessKey, now }: S3Request,
): Promise<SignedS3Request> => {
  const signed = await new AwsV4Signer({
    method,
    url: addressOf(bucket, object),
    headers: { ...headers, 'x-amz-content-sha256': bodyHash },
    accessKeyId,
    secretAccessKey,
    service: 's3',
    region: bucket.region,
    datetime: now.toISOString().replaceAll(/[-:]|\.\d{3}/g, ''),
  }).sign()
  return { url: signed.url.href, headers: Object.fromEntries(signed.headers) }
}

const addressOf = ({ endpoint, bucket, pathStyle = true }: S3Bucket, object: string): string => {
  const path = object.split('/').map(encodeURIComponent).join('/')
  const base = endpoint.replace(/\/+$/, '')
  if (pathStyle) return `${base}/${encodeURIComponent(bucket)}/${path}`
  return `${base.replace('://', `://${bucket}.`)}/${path}`
}
