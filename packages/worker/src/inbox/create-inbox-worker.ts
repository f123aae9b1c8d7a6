import {
  type FlowSource,
  type HeldDelivery,
  heldDelivery,
  INBOX_WORKER,
  inboxReceipt,
  StewardError,
} from '@steward/contract'
import type { WebhookDelivery } from '@steward/engine'
import { findD1 } from '../bindings.ts'
import type { WorkerEnv } from '../env.ts'
import { acceptWebhook } from '../flow/accept-webhook.ts'
import { createInvocation } from '../flow/invocation.ts'
import { createFetchHandler } from '../http/create-fetch-handler.ts'
import { readJsonBody } from '../http/read-input.ts'
import { notAllowed, respond } from '../http/respond.ts'
import { type FetchHandler, PLATFORM_PORTS, type WorkerPorts } from '../platform.ts'
import { createQueries } from '../queries.ts'

/** A flow of the user's machine with a webhook source. */
export interface InboxHook {
  id: string
  name: string
  source: Extract<FlowSource, { type: 'webhook' }>
}

const TABLES = [
  `CREATE TABLE IF NOT EXISTS edge_deliveries (
     flow TEXT NOT NULL, id TEXT NOT NULL, fingerprint TEXT, body TEXT,
     received_ms INTEGER NOT NULL, PRIMARY KEY (flow, id)
   ) STRICT`,
  `CREATE UNIQUE INDEX IF NOT EXISTS edge_deliveries_by_fingerprint
     ON edge_deliveries (flow, fingerprint) WHERE fingerprint IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS edge_deliveries_held ON edge_deliveries (received_ms)
     WHERE body IS NOT NULL`,
]

/** D1 stores values of up to 2 MB. */
const LONGEST_BODY = 1_000_000
const PAGE = 50
/** Senders repeat deliveries for days at most. */
const KEPT_MS = 30 * 86_400_000
const HOOKS = '/webhooks/'

/**
 * Accepts webhooks for flows of the user's machine, so that no port has to be opened there: signed
 * calls are verified and stored, and the daemon collects them with the token.
 */
export const createInboxWorker = (
  hooks: readonly InboxHook[],
  ports: WorkerPorts = PLATFORM_PORTS,
): { fetch: FetchHandler } => ({
  fetch: createFetchHandler({
    primitive: 'inbox',
    name: INBOX_WORKER,
    ports,
    authenticatesItself: ({ url, method }) =>
      method === 'POST' && new URL(url).pathname.startsWith(HOOKS),
    handle: async (request, env, _context, path) => {
      if (path.startsWith(HOOKS)) return receive(request, hooks, env, ports)
      if (path === '/inbox' && request.method === 'GET') return list(request, env)
      if (path === '/inbox/ack' && request.method === 'POST') return take(request, env, ports)
      throw notAllowed(request, 'POST /webhooks/<flow>, GET /inbox, POST /inbox/ack')
    },
  }),
})

const receive = async (
  request: Request,
  hooks: readonly InboxHook[],
  env: WorkerEnv,
  ports: WorkerPorts,
): Promise<Response> => {
  if (request.method !== 'POST') throw notAllowed(request, 'POST /webhooks/<flow>')
  const asked = decodeURIComponent(new URL(request.url).pathname.slice(HOOKS.length))
  const hook = hooks.find(({ id, name }) => id === asked || name === asked)
  // The caller is untrusted, so that other flows are not named.
  if (hook === undefined) {
    throw new StewardError('not_found', { what: 'webhook', name: asked.slice(0, 100) })
  }
  const delivery = await acceptWebhook(hook.source, request, createInvocation(env, ports))
  if (delivery.challenge !== undefined) return respond({ challenge: delivery.challenge })
  const bytes = delivery.body.length
  if (bytes > LONGEST_BODY) {
    const details = { subject: 'the webhook body', bytes, limit: LONGEST_BODY }
    throw new StewardError('payload_too_large', details)
  }
  const repeated = await keep(env, hook.id, delivery, ports.now())
  return respond({ success: true, delivery: delivery.id, repeated }, 202)
}

/** Resolves when the call is stored; whether it was stored before. */
const keep = async (
  env: WorkerEnv,
  flow: string,
  { id, body, fingerprint }: WebhookDelivery,
  nowMs: number,
): Promise<boolean> => {
  const { query } = openTable(env)
  const [made] = await query(
    `INSERT OR IGNORE INTO edge_deliveries (flow, id, fingerprint, body, received_ms)
     VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id`,
    [flow, id, fingerprint ?? null, body, nowMs],
  )
  if (made !== undefined) return false
  const known = 'SELECT id FROM edge_deliveries WHERE flow = ?1 AND id = ?2'
  if ((await query(known, [flow, id])).length > 0) return true
  const reason = 'it was accepted before under another delivery id'
  throw new StewardError('signature_invalid', { reason })
}

const list = async (request: Request, env: WorkerEnv): Promise<Response> => {
  const flows = new URL(request.url).searchParams.getAll('flow')
  const rows = await openTable(env).query(
    `SELECT flow, id, body, fingerprint, received_ms FROM edge_deliveries
     WHERE body IS NOT NULL AND flow IN (SELECT value FROM json_each(?1))
     ORDER BY received_ms LIMIT ?2`,
    [JSON.stringify(flows), PAGE],
  )
  const deliveries = rows.map(
    ({ received_ms: at, ...row }): HeldDelivery =>
      heldDelivery.parse({ ...row, receivedAt: new Date(Number(at)).toISOString() }),
  )
  return respond({ deliveries })
}

/** Their ids are kept, so that a repeated call is recognised. */
const take = async (request: Request, env: WorkerEnv, ports: WorkerPorts): Promise<Response> => {
  const parsed = inboxReceipt.safeParse(await readJsonBody(request))
  if (!parsed.success) {
    throw new StewardError('invalid_input', {
      subject: 'the receipt',
      reason: parsed.error.message,
    })
  }
  await openTable(env).write([
    ...parsed.data.deliveries.map(
      ({ flow, id }) =>
        ['UPDATE edge_deliveries SET body = NULL WHERE flow = ?1 AND id = ?2', [flow, id]] as const,
    ),
    [
      'DELETE FROM edge_deliveries WHERE body IS NULL AND received_ms < ?1',
      [ports.now() - KEPT_MS],
    ],
  ])
  return respond({ success: true })
}

const openTable = (env: WorkerEnv) => createQueries(findD1(env, 'ITEMS_DB'), TABLES)
