import {
  type FlowDestination,
  type JsonObject,
  StewardError,
  toStewardError,
} from '@steward/contract'
import {
  bodyOf,
  createApiDelivery,
  createDiscordDelivery,
  createEmailDelivery,
  createQueueDelivery,
  createS3Delivery,
  createSlackDelivery,
  createWebhookDelivery,
  type Delivery,
  type DestinationOf,
  deliveryKey,
  entryOf,
  type Receipt,
} from '@steward/engine'
import { findD1, findQueue, findR2 } from '../bindings.ts'
import { staysHere } from './check-bindings.ts'
import type { Invocation } from './invocation.ts'

export interface DeliveryPorts {
  invocation: Invocation
  /** A_SEND_EMAIL, behind its service binding. */
  sendEmail: (input: JsonObject) => Promise<JsonObject>
}

/** Delivers one finished item to a destination of the flow. */
export const deliver = async (
  destination: FlowDestination,
  delivery: Delivery,
  { invocation, sendEmail }: DeliveryPorts,
): Promise<Receipt> => {
  const { fetch, secret, env, subrequests } = invocation
  try {
    switch (destination.type) {
      case 'api':
        return await createApiDelivery(fetch, secret)(destination, delivery)
      case 'email':
        return await createEmailDelivery(sendEmail)(destination, delivery)
      case 'database':
        return await writeRow(destination, delivery, invocation)
      case 'file':
        return await writeObject(destination, delivery, invocation)
      case 'queue': {
        const open = (queue: string) => {
          const producer = findQueue(env, queue)
          subrequests.spend()
          return producer
        }
        return await createQueueDelivery(open)(destination, delivery)
      }
      case 'webhook':
        return await createWebhookDelivery(fetch, secret)(destination, delivery)
      case 'slack':
        return await createSlackDelivery(fetch, secret)(destination, delivery)
      case 'discord':
        return await createDiscordDelivery(fetch, secret)(destination, delivery)
      case 's3':
        return await createS3Delivery(fetch, secret)(destination, delivery)
      case 'notify':
      case 'note':
      case 'git':
        throw staysHere(`the ${destination.type} destination`)
    }
  } catch (thrown) {
    throw toStewardError(thrown, 'upstream_failed', {
      service: `the ${destination.type} destination`,
    })
  }
}

/**
 * One row per item in D1; the same item updates its row. `path` does not apply, because there are
 * no files.
 */
const writeRow = async (
  { table }: DestinationOf<'database'>,
  { flow, item, output, now }: Delivery,
  { env, subrequests }: Invocation,
): Promise<Receipt> => {
  const database = findD1(env, 'FLOW_DB')
  subrequests.spend()
  // The schema requires a lower_snake_case name, so quoting is enough.
  await database.batch([
    database.prepare(`CREATE TABLE IF NOT EXISTS "${table}" (
      flow TEXT NOT NULL, item TEXT NOT NULL, title TEXT, delivered_at TEXT NOT NULL,
      output TEXT NOT NULL, PRIMARY KEY (flow, item))`),
    database
      .prepare(`INSERT INTO "${table}" (flow, item, title, delivered_at, output) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (flow, item) DO UPDATE SET
          title = excluded.title, delivered_at = excluded.delivered_at, output = excluded.output`)
      .bind(flow.name, item.id, item.title, now.toISOString(), JSON.stringify(output)),
  ])
  return { database: 'FLOW_DB', table, item: item.id }
}

/**
 * One object per item below the path: objects cannot be appended to, and the same item has the same
 * key.
 */
const writeObject = async (
  { path, format }: DestinationOf<'file'>,
  delivery: Delivery,
  { env, subrequests }: Invocation,
): Promise<Receipt> => {
  const bucket = findR2(env, 'FLOW_FILES')
  const key = deliveryKey(delivery)
  const isMarkdown =
    (format ?? (/\.(json|jsonl|ndjson)$/i.test(path) ? 'json' : 'markdown')) === 'markdown'
  const name = `${folderOf(path)}/${key}.${isMarkdown ? 'md' : 'json'}`
  const text = isMarkdown ? `${bodyOf(delivery).trim()}\n` : JSON.stringify(entryOf(delivery, key))
  const contentType = isMarkdown ? 'text/markdown; charset=utf-8' : 'application/json'
  subrequests.spend()
  await bucket.put(name, text, { httpMetadata: { contentType } })
  return { file: name, key }
}

const folderOf = (path: string): string => {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (!parts.includes('..')) return parts.join('/')
  throw new StewardError('not_configured', {
    subject: 'the file destination',
    reason: `${path} points outside the bucket`,
  })
}
