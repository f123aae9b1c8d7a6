import { unwrap, WEBHOOK_SCHEMES, type WebhookScheme } from '@steward/contract'
import { signRequest } from '@steward/engine'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type RunningWorkers,
  START_LIMIT_MS,
  startWorkers,
} from '../../../edge/src/local/testing/start-workers.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const INBOX = 'WEBHOOK_INBOX'
let workers: RunningWorkers

beforeAll(async () => {
  const hooks = WEBHOOK_SCHEMES.map((scheme) => ({
    id: scheme,
    name: `F_${scheme.toUpperCase()}_HOOK`,
    source: { type: 'webhook', scheme, secret: 'HOOK_SECRET', id: '$.id', items: '$' },
  }))
  workers = await startWorkers([
    {
      name: INBOX,
      entry: `export default edge.createInboxWorker(${JSON.stringify(hooks)})`,
      env: { HOOK_SECRET: SECRET },
      options: { d1Databases: { ITEMS_DB: 'items' } },
    },
  ])
}, START_LIMIT_MS)
afterAll(() => workers.stop())

interface Sent {
  content: string
  id: string
  nowMs?: number
  /** Changes the body after it was signed. */
  tamper?: boolean
  /** Replaces headers after signing. */
  headers?: Record<string, string>
}

const send = async (scheme: WebhookScheme, sent: Sent) => {
  const { content, id, nowMs = Date.now() } = sent
  const body = new TextEncoder().encode(JSON.stringify({ id, content }))
  const signed = unwrap(await signRequest({ scheme }, SECRET, { body, id, nowMs }))
  const response = await workers.call(INBOX, `/webhooks/F_${scheme.toUpperCase()}_HOOK`, {
    method: 'POST',
    body: sent.tamper ? new TextEncoder().encode(JSON.stringify({ id, content: '!' })) : body,
    headers: { 'content-type': 'application/json', ...signed, ...sent.headers },
    token: null,
  })
  return [response.status, await response.json()]
}

const held = async (flow: string) =>
  z
    .object({ deliveries: z.array(z.looseObject({ id: z.string(), body: z.string() })) })
    .parse(await (await workers.call(INBOX, `/inbox?flow=${flow}`)).json()).deliveries

const REFUSED = [401, expect.objectContaining({ code: 'signature_invalid' })]
const HOUR_MS = 3_600_000

it.each(WEBHOOK_SCHEMES)('keeps calls signed as %s once, and no other', async (scheme) => {
  const accepted = { success: true, delivery: expect.any(String), repeated: false }
  expect(await send(scheme, { id: 'one', content: 'first' })).toEqual([202, accepted])
  const repeated = { ...accepted, repeated: true }
  expect(await send(scheme, { id: 'one', content: 'first' })).toEqual([202, repeated])
  expect(await send(scheme, { id: 'two', content: 'second', tamper: true })).toEqual(REFUSED)
  if (scheme === 'github') {
    // Its delivery id is not signed: the same call under another id is a replay.
    const headers = { 'x-github-delivery': 'another' }
    expect(await send(scheme, { id: 'one', content: 'first', headers })).toEqual(REFUSED)
  }
  if (scheme !== 'github' && scheme !== 'hmac') {
    const stale = { id: 'two', content: 'second', nowMs: Date.now() - HOUR_MS }
    expect(await send(scheme, stale)).toEqual(REFUSED)
  }
  expect(await send(scheme, { id: 'two', content: 'second' })).toEqual([202, accepted])
  const bodies = (await held(scheme)).map(({ body }) => JSON.parse(body).content)
  expect(bodies).toEqual(['first', 'second'])
})
