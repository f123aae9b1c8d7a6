import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type AttentionAnswer, attentionAnswer, parseJson } from '@steward/contract'
import { z } from 'zod'

/** What the button of a push message answers. */
export interface TokenClaims {
  requestId: string
  deviceId: string
  answer: AttentionAnswer
  /** Milliseconds since the epoch. */
  untilMs: number
  nonce: string
}

const claims = z.tuple([z.string(), z.string(), attentionAnswer, z.number(), z.string()])

const macOf = (body: string, key: string): Buffer =>
  createHmac('sha256', Buffer.from(key, 'base64url')).update(body).digest()

/** A signed answer: it fits one request and one device, once, until it expires. */
export const signAnswer = (
  { requestId, deviceId, answer, untilMs }: Omit<TokenClaims, 'nonce'>,
  key: string,
): string => {
  const nonce = randomBytes(12).toString('base64url')
  const text = JSON.stringify([requestId, deviceId, answer, untilMs, nonce])
  const body = Buffer.from(text).toString('base64url')
  return `${body}.${macOf(body, key).toString('base64url')}`
}

/** The claims of a token whose signature is right for the device that it names. */
export const readAnswerToken = (
  token: string,
  keyOf: (deviceId: string) => string | undefined,
): TokenClaims | undefined => {
  const [body = '', mac = '', ...rest] = token.trim().split('.')
  if (rest.length > 0) return undefined
  const json = parseJson(Buffer.from(body, 'base64url').toString(), 'token')
  const { data } = claims.safeParse(json.ok ? json.value : undefined)
  if (data === undefined) return undefined
  const [requestId, deviceId, answer, untilMs, nonce] = data
  const key = keyOf(deviceId)
  if (key === undefined) return undefined
  const [given, right] = [Buffer.from(mac, 'base64url'), macOf(body, key)]
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
  return { requestId, deviceId, answer, untilMs, nonce }
}
