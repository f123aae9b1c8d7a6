import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { connect } from 'node:tls'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { StewardError } from '@steward/contract'
import { dialNoted, type ProxyContext, type Refusal, refusalFrom } from './proxy-context.ts'
import { createReplacer, type Replacement, replaceBytes } from './replace-bytes.ts'
import { bodyReplacements, fillHeaders, maskReplacements, type Secret } from './secrets.ts'
import type { Target } from './target.ts'

export interface Route extends Target {
  /** `https` only where TLS ends here; only then are there secrets. */
  protocol: 'http' | 'https'
  path: string
  reason: string
  secrets: readonly Secret[]
}

/**
 * Longer bodies of known length pass unchanged, because computing the new length requires buffering
 * them.
 */
const HELD_BODY_BYTES = 8 * 1024 * 1024

/**
 * Forwards one request and its response; inserts secrets into the request and masks them in the
 * response.
 */
export const forwardRequest = async (
  incoming: IncomingMessage,
  response: ServerResponse,
  route: Route,
  context: ProxyContext,
): Promise<void> => {
  try {
    const prepared = prepareRequest(incoming, route)
    const opened = await openFor(route, prepared, context)
    if ('refusal' in opened) return answerRefusal(response, opened.refusal)
    const { socket } = opened
    response.once('close', () => socket.destroy())
    const answer = await send(incoming, socket, route, prepared, context)
    await passAnswer(answer, response, incoming.method === 'HEAD', prepared.masks, context)
  } catch (thrown) {
    if (response.headersSent) response.destroy()
    else answerRefusal(response, refusalFrom(thrown))
  }
}

export interface Prepared {
  headers: string[]
  body: Replacement[]
  masks: Replacement[]
  used: string[]
}

export const prepareRequest = (incoming: IncomingMessage, route: Route): Prepared => {
  const { protocol, host, port, secrets } = route
  const isDefault = port === (protocol === 'https' ? 443 : 80)
  const kept = passHeaders(incoming.rawHeaders, [
    'host',
    'expect',
    // The response must not be compressed if it is searched for secrets.
    ...(secrets.length === 0 ? [] : ['accept-encoding']),
  ])
  const isChunked = incoming.headers['transfer-encoding'] !== undefined
  const { headers, used } = fillHeaders(kept, secrets)
  return {
    headers: [
      ...['host', isDefault ? host : `${host}:${port}`],
      ...headers,
      ...(secrets.length === 0 ? [] : ['accept-encoding', 'identity']),
      ...(isChunked ? ['transfer-encoding', 'chunked'] : []),
      ...['connection', 'close'],
    ],
    body: bodyReplacements(secrets, incoming.headers['content-type']),
    masks: maskReplacements(secrets, valuesOf(headers, 'authorization')),
    used: used.map(({ credential }) => credential.name),
  }
}

export const openFor = async (
  route: Route,
  { used }: Prepared,
  context: ProxyContext,
): Promise<{ socket: Socket } | { refusal: Refusal }> => {
  const way = route.protocol === 'https' ? 'terminated' : 'http'
  const noted = { way, reason: route.reason, credentials: used } as const
  const opened = await dialNoted(context, route, noted)
  if ('refusal' in opened || route.protocol === 'http') return opened
  try {
    return { socket: await secureUpstream(opened.socket, route.host, context) }
  } catch (thrown) {
    return { refusal: refusalFrom(thrown) }
  }
}

const send = async (
  incoming: IncomingMessage,
  socket: Socket,
  { path }: Route,
  { headers, body }: Prepared,
  { meter }: ProxyContext,
): Promise<IncomingMessage> => {
  const length = incoming.headers['content-length']
  const isHeld = body.length > 0 && length !== undefined && Number(length) <= HELD_BODY_BYTES
  const held = isHeld ? replaceBytes(Buffer.concat(await incoming.toArray()), body) : undefined
  const outgoing = request({
    createConnection: () => socket,
    method: incoming.method,
    path,
    headers:
      held === undefined
        ? headers
        : [...passHeaders(headers, ['content-length']), 'content-length', String(held.length)],
    setHost: false,
  })
  return new Promise((resolve, reject) => {
    let isAnswered = false
    outgoing.once('response', (answer) => {
      isAnswered = true
      resolve(answer)
    })
    outgoing.once('error', reject)
    if (held !== undefined) {
      outgoing.end(held)
      return
    }
    const replacer = createReplacer(length === undefined ? body : [])
    pipeline(incoming, meter(), replacer, outgoing).catch((thrown: Error) => {
      // A host may respond before it has read the whole body, and then stop reading.
      if (!isAnswered) outgoing.destroy(thrown)
    })
  })
}

const passAnswer = async (
  answer: IncomingMessage,
  response: ServerResponse,
  isHead: boolean,
  masks: readonly Replacement[],
  { meter }: ProxyContext,
): Promise<void> => {
  const status = answer.statusCode ?? 502
  const hasBody = !isHead && status !== 204 && status !== 304
  const isLooked = masks.length > 0 && hasBody
  const unpackers = isLooked ? unpackersOf(answer) : []
  const headers = passHeaders(
    answer.rawHeaders,
    isLooked ? ['content-length', 'content-encoding'] : [],
  )
  response.writeHead(
    status,
    maskText(answer.statusMessage ?? '', masks),
    maskHeaders(headers, masks),
  )
  await pipeline([answer, ...unpackers, createReplacer(masks), meter(), response])
}

export const answerRefusal = (response: ServerResponse, { status, reason }: Refusal): void => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end(`The sandbox's egress: ${reason}\n`)
}

/** Starts TLS over an existing connection and verifies the certificate as any client would. */
const secureUpstream = (
  socket: Socket,
  host: string,
  { trust, limits }: ProxyContext,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const secured = connect({
      socket,
      servername: host,
      ALPNProtocols: ['http/1.1'],
      secureContext: trust(),
    })
    const fail = (thrown: Error) => {
      socket.destroy()
      reject(thrown)
    }
    secured.setTimeout(limits.connectMs, () =>
      secured.destroy(new Error(`${host} did not finish the TLS handshake`)),
    )
    secured.once('error', fail)
    secured.once('secureConnect', () => {
      secured.setTimeout(0)
      secured.off('error', fail)
      resolve(secured)
    })
  })

/** Headers of a single connection; a proxy has two different ones. */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

/** Raw headers, name and value alternating, without hop-by-hop and `dropped` ones. */
const passHeaders = (raw: readonly string[], dropped: readonly string[] = []): string[] => {
  const named = valuesOf(raw, 'connection')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((name) => name.trim())
  const left = new Set([...HOP_BY_HOP, ...named, ...dropped])
  return pairsOf(raw)
    .filter(([name]) => !left.has(name.toLowerCase()))
    .flat()
}

const valuesOf = (raw: readonly string[], name: string): string[] =>
  pairsOf(raw)
    .filter(([found]) => found.toLowerCase() === name)
    .map(([, value]) => value)

const maskHeaders = (raw: readonly string[], masks: readonly Replacement[]): string[] =>
  raw.map((text, index) => (index % 2 === 0 ? text : maskText(text, masks)))

const maskText = (text: string, masks: readonly Replacement[]): string =>
  replaceBytes(Buffer.from(text, 'latin1'), masks).toString('latin1')

const pairsOf = (raw: readonly string[]): Array<[name: string, value: string]> =>
  raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as [string, string]] : [],
  )

const DECODERS: Record<string, () => Duplex> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/**
 * Decompresses a response so that secrets in it are found. The request asked for no compression; an
 * unknown encoding is refused rather than passed on unread.
 */
const unpackersOf = (answer: IncomingMessage): Duplex[] =>
  (answer.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
    .toReversed()
    .map((name) => {
      const create = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
      if (create !== undefined) return create()
      throw new StewardError('upstream_failed', {
        service: 'the host',
        reason: `it answered with the encoding ${name}, which cannot be searched for secrets`,
      })
    })
