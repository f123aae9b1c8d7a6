import { join } from 'node:path'
import type { WebhookDelivery } from '@steward/engine'
import { type Home, openDatabase } from '@steward/platform'
import { z } from 'zod'

export const WEBHOOK_MIGRATIONS = [
  `CREATE TABLE deliveries (
     flow TEXT NOT NULL, id TEXT NOT NULL, fingerprint TEXT, body TEXT,
     received_ms INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'waiting',
     attempts INTEGER NOT NULL DEFAULT 0, run TEXT, detail TEXT, ended_ms INTEGER,
     PRIMARY KEY (flow, id)
   ) STRICT;
   CREATE UNIQUE INDEX by_fingerprint ON deliveries (flow, fingerprint)
     WHERE fingerprint IS NOT NULL;
   CREATE INDEX waiting_deliveries ON deliveries (received_ms) WHERE state = 'waiting';`,
]

/** Senders repeat deliveries for days at most. */
const KEPT_MS = 30 * 86_400_000

const row = z.object({
  flow: z.string(),
  id: z.string(),
  body: z.string().nullable(),
  received_ms: z.number(),
  state: z.enum(['waiting', 'done']),
  attempts: z.number(),
  run: z.string().nullable(),
  detail: z.string().nullable(),
})
export type StoredDelivery = z.infer<typeof row>

/** `state/webhooks.sqlite`: accepted calls by flow id, so that none is lost and none runs twice. */
export interface WebhookInbox {
  /**
   * Resolves when the call is on disk. `repeated`: it was accepted before. `replayed`: the same
   * signature was accepted under another id.
   */
  accept: (
    flow: string,
    delivery: WebhookDelivery,
    atMs: number,
  ) => Promise<'accepted' | 'repeated' | 'replayed'>
  /** Calls whose items are not in the ledger yet, oldest first. */
  waiting: () => StoredDelivery[]
  find: (flow: string, id: string) => StoredDelivery | undefined
  /** The run of this attempt is over and took nothing; the next attempt is a new run. */
  postpone: (delivery: Pick<StoredDelivery, 'flow' | 'id'>) => Promise<void>
  /** Ends a call and removes its body. */
  end: (
    delivery: Pick<StoredDelivery, 'flow' | 'id'>,
    ending: { run: string; detail: string; atMs: number },
  ) => Promise<void>
  close: () => Promise<void>
}

export const openWebhookInbox = (home: Pick<Home, 'databases'>): WebhookInbox => {
  const path = join(home.databases, 'webhooks.sqlite')
  const database = openDatabase(path, { migrations: WEBHOOK_MIGRATIONS })
  return {
    accept: (flow, { id, body, fingerprint }, atMs) =>
      database.write(({ statement }) => {
        statement("DELETE FROM deliveries WHERE state = 'done' AND received_ms < ?").run(
          atMs - KEPT_MS,
        )
        const inserted = statement(
          `INSERT OR IGNORE INTO deliveries (flow, id, fingerprint, body, received_ms)
           VALUES (?, ?, ?, ?, ?)`,
        ).run(flow, id, fingerprint ?? null, body, atMs)
        if (Number(inserted.changes) > 0) return 'accepted'
        const known = statement('SELECT 1 FROM deliveries WHERE flow = ? AND id = ?').get(flow, id)
        return known === undefined ? 'replayed' : 'repeated'
      }),
    waiting: () =>
      database
        .read(({ statement }) =>
          statement("SELECT * FROM deliveries WHERE state = 'waiting' ORDER BY received_ms").all(),
        )
        .map((each) => row.parse(each)),
    find: (flow, id) => {
      const found = database.read(({ statement }) =>
        statement('SELECT * FROM deliveries WHERE flow = ? AND id = ?').get(flow, id),
      )
      return found === undefined ? undefined : row.parse(found)
    },
    postpone: ({ flow, id }) =>
      database.write(({ statement }) => {
        statement('UPDATE deliveries SET attempts = attempts + 1 WHERE flow = ? AND id = ?').run(
          flow,
          id,
        )
      }),
    end: ({ flow, id }, { run, detail, atMs }) =>
      database.write(({ statement }) => {
        statement(
          `UPDATE deliveries SET state = 'done', run = ?, detail = ?, ended_ms = ?, body = NULL
           WHERE flow = ? AND id = ?`,
        ).run(run, detail, atMs, flow, id)
      }),
    close: () => database.close(),
  }
}
