import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

export const S3_KEYS = { id: 'AKIAEXAMPLE', secret: 'secret/of+the+stand-in' }
const REGION = 'eu-central-1'

/** A service on loopback with one bucket, which computes signatures by the documentation alone. */
export interface S3Server {
  endpoint: string
  region: string
  bucket: string
  objects: Map<string, Buffer>
  /** The requests, such as `PUT name`. */
  requests: string[]
  /** Answers a request in another way, if it returns something. */
  answer: (request: string) => { status: number; code: string } | undefined
  stop: () => Promise<void>
}

export const startS3Server = async (bucket = 'snapshots'): Promise<S3Server> => {
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const path = decodeURIComponent(request.url ?? '')
    const [, asked, ...parts] = path.split('/')
    const object = parts.join('/')
    const line = `${request.method} ${object}`
    s3.requests.push(line)
    const problem = s3.answer(line) ?? check(request, body)
    const refuse = (status: number, code: string): void => {
      response.writeHead(status, { 'content-type': 'application/xml' })
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)
    }
    if (problem !== undefined) return refuse(problem.status, problem.code)
    if (asked !== bucket) return refuse(404, 'NoSuchBucket')
    if (request.method === 'PUT') {
      s3.objects.set(object, body)
      return response.end()
    }
    if (request.method === 'DELETE') {
      s3.objects.delete(object)
      return response.writeHead(204).end()
    }
    const found = s3.objects.get(object)
    return found === undefined ? refuse(404, 'NoSuchKey') : response.end(found)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const s3: S3Server = {
    endpoint: `http://127.0.0.1:${port}`,
    region: REGION,
    bucket,
    objects: new Map(),
    requests: [],
    answer: () => undefined,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return s3
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/

/** What is wrong with the signature of a request. */
const check = (
  request: IncomingMessage,
  body: Buffer,
): { status: number; code: string } | undefined => {
  const { method = '', url = '', headers } = request
  const [, id, day, region, names = '', signature = ''] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? []
  if (id === undefined || day === undefined) return { status: 403, code: 'AccessDenied' }
  if (id !== S3_KEYS.id) return { status: 403, code: 'InvalidAccessKeyId' }
  if (region !== REGION) return { status: 400, code: 'AuthorizationHeaderMalformed' }
  const bodyHash = hash(body)
  if (headers['x-amz-content-sha256'] !== bodyHash)
    return { status: 400, code: 'XAmzContentSHA256Mismatch' }
  const signed = names.split(';')
  const time = String(headers['x-amz-date'])
  const isCovered = ['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) =>
    signed.includes(name),
  )
  if (!isCovered || !time.startsWith(day)) return { status: 403, code: 'AccessDenied' }
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('')
  const canonical = [method, url, '', lines, names, bodyHash].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, hash(canonical)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${S3_KEYS.secret}`)
  const isRight = timingSafeEqual(Buffer.from(signature, 'hex'), hmac(key, text))
  return isRight ? undefined : { status: 403, code: 'SignatureDoesNotMatch' }
}

const hash = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()
