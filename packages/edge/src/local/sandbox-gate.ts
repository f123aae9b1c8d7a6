import { createHash, timingSafeEqual } from 'node:crypto'
import { StewardError } from '@steward/contract'
import type { PlainResponse } from './sandbox-worker.ts'

export interface GateRequest {
  method: string
  /** Path and query. */
  path: string
  authorization: string | undefined
}

/**
 * What is answered before a process is started for a request, as the worker in front of a container
 * does it: health to anybody, and nothing else without the token. Nothing means that it may pass.
 */
export const answerAtGate = (
  { method, path, authorization }: GateRequest,
  worker: { name: string; token: string | undefined; nowMs: number },
): PlainResponse | undefined => {
  const [pathname] = path.split('?')
  if (method === 'GET' && pathname === '/health') {
    const timestamp = new Date(worker.nowMs).toISOString()
    return respondJson(200, { status: 'ok', action: worker.name, timestamp })
  }
  if (isToken(authorization, worker.token)) return undefined
  const refusal = new StewardError('unauthorized')
  return respondJson(refusal.status, refusal.toBody(), [['www-authenticate', 'Bearer']])
}

export const respondJson = (
  status: number,
  body: object,
  more: readonly [string, string][] = [],
): PlainResponse => ({
  status,
  headers: [['content-type', 'application/json'], ['cache-control', 'no-store'], ...more],
  body: Buffer.from(JSON.stringify(body)),
})

/** Compares digests: they have one length, and the time says nothing of the token. */
const isToken = (authorization: string | undefined, token: string | undefined): boolean => {
  if (!token || authorization === undefined) return false
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`))
}
