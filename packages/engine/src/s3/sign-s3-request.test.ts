import { expect, it } from 'vitest'
import { sha256Hex } from '../feed-format/sha256.ts'
import { type S3Request, signS3Request } from './sign-s3-request.ts'

/** The keys and the time of the examples in the service's documentation. */
const EXAMPLE = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  now: new Date('2013-05-24T00:00:00Z'),
}
const bucket = {
  endpoint: 'https://s3.amazonaws.com',
  bucket: 'examplebucket',
  region: 'us-east-1',
  pathStyle: false,
}
const put: S3Request = {
  ...EXAMPLE,
  method: 'PUT',
  object: 'test$file.text',
  bodyHash: sha256Hex('Welcome to Amazon S3.'),
  headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
}

it('signs like the published example', async () => {
  const { url, headers } = await signS3Request(bucket, put)
  expect(url).toBe('https://examplebucket.s3.amazonaws.com/test%24file.text')
  expect(headers.authorization).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class, Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  )
})

it('puts the bucket into the path by default, and signs another body in another way', async () => {
  const inPath = { ...bucket, endpoint: 'http://127.0.0.1:9000/', pathStyle: true }
  const one = await signS3Request(inPath, { ...put, object: 'a b/ü' })
  expect(one.url).toBe('http://127.0.0.1:9000/examplebucket/a%20b/%C3%BC')
  const other = await signS3Request(inPath, { ...put, object: 'a b/ü', bodyHash: sha256Hex('') })
  expect(other.headers.authorization).not.toBe(one.headers.authorization)
})
