import { randomBytes } from 'node:crypto'
import { HOSTED_API } from '@steward/contract'
import { changes, type Handler, reads } from '../api/handler.ts'
import { knownId } from '../api/known-id.ts'
import { readPage, writeCursor } from '../api/page.ts'
import { createWhere } from '../api/where.ts'
import { execute } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import type { Seal } from '../vaults/seal.ts'
import {
  DELIVERY_COLUMNS,
  ENDPOINT_COLUMNS,
  getEndpoint,
  toDelivery,
  toEndpoint,
  toStoredEndpoint,
} from './stored-webhook.ts'

const TIME = { timeColumn: 'created_ms', timeName: 'created_ms', idColumn: 'id' }
const SOURCE = { ...TIME, select: `SELECT ${ENDPOINT_COLUMNS} FROM webhook_endpoints` }
const DELIVERIES = { ...TIME, select: `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries` }

const createSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

export const createWebhookHandlers = (seal: Seal): readonly Handler[] => {
  const close = (secret: string, id: string): string =>
    Buffer.from(seal.close(secret, id)).toString('base64')
  return [
    changes(HOSTED_API.createWebhookEndpoint, function* ({ body }, { nowMs }) {
      const id = createId('whep')
      const signing_secret = createSecret()
      yield* execute(
        `INSERT INTO webhook_endpoints (${ENDPOINT_COLUMNS})
         VALUES ($1, $2, $3, $4, $5, 'enabled', $6, $7, $7)`,
        id,
        body.url,
        body.name ?? '',
        body.description ?? '',
        JSON.stringify([...new Set(body.enabled_events)]),
        close(signing_secret, id),
        nowMs,
      )
      return { ...toEndpoint(yield* getEndpoint(id)), signing_secret }
    }),
    reads(HOSTED_API.getWebhookEndpoint, function* ({ params }) {
      return toEndpoint(yield* getEndpoint(params.webhook_endpoint_id))
    }),
    reads(HOSTED_API.listWebhookEndpoints, function* ({ query }) {
      const { limit, order, after_id, before_id } = query
      const beside = after_id ?? before_id
      const known = beside === undefined ? undefined : yield* getEndpoint(beside)
      const d = after_id === undefined ? ('prev' as const) : ('next' as const)
      const cursor = known && writeCursor({ o: order, d, t: known.created_ms, i: known.id })
      const page = yield* readPage(SOURCE, createWhere(), { limit, order, page: cursor })
      const data = page.rows.map((row) => toEndpoint(toStoredEndpoint(row)))
      const isBack = after_id === undefined && before_id !== undefined
      return {
        data,
        has_more: (isBack ? page.prev_page : page.next_page) !== null,
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
      }
    }),
    changes(HOSTED_API.updateWebhookEndpoint, function* ({ params, body }, { nowMs }) {
      const before = yield* getEndpoint(params.webhook_endpoint_id, 'hold')
      const events = body.enabled_events ?? []
      yield* execute(
        `UPDATE webhook_endpoints SET url = $2, name = $3, description = $4, events = $5, state = $6,
           updated_ms = $7 WHERE id = $1`,
        before.id,
        body.url ?? before.url,
        body.name ?? before.name,
        body.description ?? before.description,
        JSON.stringify(events.length === 0 ? before.events : [...new Set(events)]),
        body.state ?? before.state,
        nowMs,
      )
      return toEndpoint(yield* getEndpoint(before.id))
    }),
    changes(HOSTED_API.deleteWebhookEndpoint, function* ({ params }) {
      const { id } = yield* getEndpoint(params.webhook_endpoint_id, 'hold')
      yield* execute('DELETE FROM webhook_endpoints WHERE id = $1', id)
      return { id, type: 'webhook_endpoint_deleted' as const }
    }),
    changes(HOSTED_API.regenerateWebhookSecret, function* ({ params }, { nowMs }) {
      const { id } = yield* getEndpoint(params.webhook_endpoint_id, 'hold')
      const signing_secret = createSecret()
      yield* execute(
        'UPDATE webhook_endpoints SET sealed_secret = $2, updated_ms = $3 WHERE id = $1',
        id,
        close(signing_secret, id),
        nowMs,
      )
      return { signing_secret }
    }),
    reads(HOSTED_API.listWebhookDeliveries, function* ({ query }) {
      const where = createWhere()
      if (query.endpoint_id !== undefined)
        where.add('endpoint_id = ?', knownId('webhook endpoint', query.endpoint_id))
      const page = yield* readPage(DELIVERIES, where, { ...query, order: 'desc' })
      return { data: page.rows.map(toDelivery), next_page: page.next_page }
    }),
  ]
}
