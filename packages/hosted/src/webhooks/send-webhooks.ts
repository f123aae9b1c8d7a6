import { type Fetch, reasonOf, type StewardError, toStewardError, unwrap } from '@steward/contract'
import { signRequest } from '@steward/engine'
import { z } from 'zod'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { execute, query, type Tx } from '../database/tx.ts'
import type { Seal } from '../vaults/seal.ts'

export interface SendPorts {
  database: HostedDatabase
  seal: Seal
  /** Refuses private addresses. */
  fetch: Fetch
  now: () => number
  repeat: (everyMs: number, action: () => void) => () => void
  report: (error: StewardError, where: string) => void
}

const LOOK_MS = 1000
const AT_ONCE = 16
/** A sender that does not record a result for this long has died; another one sends again. */
const CLAIMED_MS = 60_000
const TIMEOUT_MS = 20_000
/** The pauses double; the attempts span about two days. */
const FIRST_PAUSE_MS = 5000
const LONGEST_PAUSE_MS = 6 * 3_600_000
const ATTEMPTS = 20
const KEPT_MS = 7 * 86_400_000

/** Sends the messages of the outbox, beside any number of other processes; returns how to stop. */
export const startWebhooks = (ports: SendPorts): (() => Promise<void>) => {
  let stopped = false
  let working: Promise<void> | undefined
  const sendDue = async (): Promise<void> => {
    for (;;) {
      const sent = stopped ? 0 : await sendSome(ports)
      if (sent === 0) return
    }
  }
  const stop = ports.repeat(LOOK_MS, () => {
    working ??= sendDue()
      .catch((thrown: unknown) => ports.report(toStewardError(thrown), 'webhooks'))
      .finally(() => {
        working = undefined
      })
  })
  return async () => {
    stopped = true
    stop()
    await working
  }
}

const claimed = z.object({
  id: z.string(),
  event_id: z.string(),
  body: z.string(),
  attempts: z.coerce.number(),
  endpoint_id: z.string(),
  url: z.string(),
  sealed_secret: z.string(),
})
type Claimed = z.infer<typeof claimed>

/** Sends what is due; returns how many there were. */
export const sendSome = async (ports: SendPorts): Promise<number> => {
  const { database, now } = ports
  const due = await database.write(() => claimDue(now()))
  await Promise.all(
    due.map(async (delivery) => {
      const result = await send(delivery, ports)
      await database.write(() => recordResult(delivery, result, now()))
    }),
  )
  return due.length
}

function* claimDue(nowMs: number): Tx<Claimed[]> {
  const rows = yield* query(
    `SELECT id FROM webhook_deliveries WHERE next_ms <= $1 ORDER BY next_ms LIMIT ${AT_ONCE}
     FOR UPDATE SKIP LOCKED`,
    nowMs,
  )
  const due: Claimed[] = []
  for (const { id } of rows) {
    const [row] = yield* query(
      `SELECT d.id AS id, d.event_id AS event_id, d.body AS body, d.attempts AS attempts,
         e.id AS endpoint_id, e.url AS url, e.sealed_secret AS sealed_secret
       FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id WHERE d.id = $1`,
      String(id),
    )
    if (row !== undefined) due.push(claimed.parse(row))
    yield* execute(
      'UPDATE webhook_deliveries SET next_ms = $2, attempts = attempts + 1 WHERE id = $1',
      String(id),
      nowMs + CLAIMED_MS,
    )
  }
  if (due.length > 0)
    yield* execute(
      'DELETE FROM webhook_deliveries WHERE next_ms IS NULL AND created_ms < $1',
      nowMs - KEPT_MS,
    )
  return due
}

interface SendResult {
  delivered: boolean
  words: string
}

const send = async (
  { endpoint_id, event_id, body, url, sealed_secret }: Claimed,
  { seal, fetch, now }: SendPorts,
): Promise<SendResult> => {
  try {
    const secret = seal.open(Buffer.from(sealed_secret, 'base64'), endpoint_id)
    const signed = { body: new TextEncoder().encode(body), id: event_id, nowMs: now() }
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...unwrap(await signRequest({ scheme: 'standard' }, secret, signed)),
        'content-type': 'application/json',
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return { delivered: response.ok, words: `status ${response.status}` }
  } catch (thrown) {
    return { delivered: false, words: reasonOf(thrown) }
  }
}

function* recordResult(
  { id, attempts }: Claimed,
  { delivered, words }: SendResult,
  nowMs: number,
): Tx<void> {
  const isLast = attempts + 1 >= ATTEMPTS
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS)
  yield* execute(
    'UPDATE webhook_deliveries SET state = $2, last_result = $3, next_ms = $4 WHERE id = $1',
    id,
    delivered ? 'delivered' : isLast ? 'failed' : 'pending',
    words.slice(0, 500),
    delivered || isLast ? null : nowMs + pauseMs,
  )
}
