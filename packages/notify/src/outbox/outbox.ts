import { createHash, randomUUID } from 'node:crypto'
import type { ChannelName, StewardError } from '@steward/contract'
import { openDatabase } from '@steward/platform'
import type { AskOutcome } from '../channels/ask-outcome.ts'
import type { SendOutcome } from '../channels/send-outcome.ts'
import { createWaitCap } from './cap-waits.ts'
import { type ChannelState, createChannelStates } from './channel-states.ts'
import {
  type Delivery,
  type DeliveryFilter,
  type DeliveryState,
  type NewDelivery,
  readDelivery,
} from './delivery.ts'
import { backoffMs, DELIVERY_POLICY, MERGE_WINDOW_MS, RETENTION } from './delivery-policy.ts'
import { OUTBOX_MIGRATIONS } from './migrations.ts'
import { createUnconfirmedResolver, type UnconfirmedDelivery } from './resolve-unconfirmed.ts'
import { createRetry, type Retried } from './retry-failed.ts'
import {
  FIND_SAME,
  FINISH,
  GIVE_UP_OLD,
  INSERT,
  LIST,
  NEXT,
  OF_KEY,
  PRUNE,
  SOONEST,
  TAKE_KEY,
  TRY_LATER,
  UNCONFIRMED,
  WITHDRAW,
} from './statements.ts'
import { createTaskTimes, type TaskTimes } from './task-times.ts'
import { TAKEN_WITHIN_MS } from './unconfirmed-policy.ts'

export interface OutboxPorts {
  /** `state/outbox.sqlite` of the data home. */
  path: string
  now: () => number
  /** Between 0 and 1. */
  random: () => number
}

export interface Enqueued {
  id: string
  channel: ChannelName
  state: DeliveryState
  detail: string | null
}

/**
 * The result of enqueuing. `repeated`: the key was used before, and these are the original
 * deliveries.
 */
interface Taken {
  repeated: boolean
  deliveries: Enqueued[]
}

/**
 * Waiting and finished deliveries on disk. Every function throws `storage_failed` if the disk
 * fails. Several processes may use it concurrently; one of them pumps.
 */
export interface Outbox {
  readonly path: string
  /**
   * On disk when it resolves; a burst shares one commit. The same text within a minute is merged,
   * and of several with the same key only the first is accepted.
   */
  enqueue: (notice: string, deliveries: readonly NewDelivery[], key?: string) => Promise<Taken>
  /**
   * A delivery whose last attempt has no known outcome, if its channel may be queried. A running
   * attempt looks the same, so only the pump calls this, between attempts.
   */
  findUnconfirmed: (channel: ChannelName) => UnconfirmedDelivery | undefined
  /** Stores the channel's answer about it: done, send again, given up, or query later. */
  resolve: (unconfirmed: UnconfirmedDelivery, answer: AskOutcome) => DeliveryState
  /** The next delivery that may be sent; the start of the attempt is on disk when it returns. */
  claim: (channel: ChannelName) => Delivery | undefined
  /** Stores the result of an attempt: done, given up, or when to retry. */
  settle: (delivery: Delivery, outcome: SendOutcome) => DeliveryState
  /** Records a message that was sent without the outbox. */
  record: (delivery: NewDelivery, outcome: SendOutcome) => void
  /** Cancels the deliveries of a key that are not under way; answers with those that arrived. */
  withdraw: (key: string) => Delivery[]
  /** Puts a failed delivery back, once; others stay as they are. Undefined if it is unknown. */
  retry: (id: string) => Retried | undefined
  find: (id: string) => Delivery | undefined
  /** The delivery log, newest first. */
  list: (limit: number, filter?: DeliveryFilter) => Delivery[]
  channelStates: () => ChannelState[]
  taskTimes: TaskTimes
  /** Removes old finished deliveries from the log. */
  prune: () => void
  /** Flushes pending writes, then closes. */
  close: () => Promise<void>
}

/** Transactions of other processes are short, and losing a notice to one is worse than waiting. */
const BUSY_TIMEOUT_MS = 1000

export const openOutbox = ({ path, now, random }: OutboxPorts): Outbox => {
  const database = openDatabase(path, {
    migrations: OUTBOX_MIGRATIONS,
    busyTimeoutMs: BUSY_TIMEOUT_MS,
  })
  const { statement, read, write, writeNow } = database
  const channels = createChannelStates(database, { now, random })
  const capWaits = createWaitCap(database, now)
  const retry = createRetry({ statement, channels, now })
  const resolve = createUnconfirmedResolver({ statement, channels, now, random })

  const insert = (notice: string, delivery: NewDelivery, outcome: Inserted): string => {
    const id = randomUUID()
    const { state, detail, attempts = 0 } = outcome
    statement(INSERT).run({
      id,
      notice,
      channel: delivery.channel,
      kind: delivery.kind,
      session_id: delivery.sessionId,
      title: delivery.title,
      message: delivery.message,
      priority: delivery.priority,
      tags: JSON.stringify(delivery.tags),
      click: delivery.click,
      color: delivery.color,
      digest: digestOf(delivery),
      state,
      attempts,
      now: now(),
      held_until: delivery.heldUntil ?? 0,
      finished_at: state === 'waiting' ? null : now(),
      detail,
    })
    return id
  }

  const enqueueOne = (notice: string, delivery: NewDelivery): Enqueued => {
    const add = (state: DeliveryState, detail: string | null): Enqueued => {
      const id = insert(notice, delivery, { state, detail })
      return { id, channel: delivery.channel, state, detail }
    }
    if (delivery.skipped !== undefined) return add('skipped', delivery.skipped)
    const first = statement(FIND_SAME).get(digestOf(delivery), now() - MERGE_WINDOW_MS, now())
    if (first === undefined) return add('waiting', null)
    const id = String(first.id)
    statement('UPDATE deliveries SET count = count + 1 WHERE id = ?').run(id)
    return add('merged', `the same as ${id}`)
  }

  const enqueueAll = (
    notice: string,
    deliveries: readonly NewDelivery[],
    key: string | undefined,
  ): Taken => {
    if (key !== undefined && Number(statement(TAKE_KEY).run(key, notice, now()).changes) === 0) {
      const earlier = statement(OF_KEY).all(key).map(readDelivery)
      return { repeated: true, deliveries: earlier.map(toEnqueued) }
    }
    return { repeated: false, deliveries: deliveries.map((each) => enqueueOne(notice, each)) }
  }

  const claim = (channel: ChannelName): Delivery | undefined => {
    capWaits(channel)
    const isDue = read(() => {
      const soonest = statement(SOONEST).get(channel)?.next_at
      return typeof soonest === 'number' && Math.max(soonest, channels.freeAt(channel)) <= now()
    })
    if (!isDue) return undefined
    return writeNow(() => {
      statement(GIVE_UP_OLD).run(now(), channel, now() - DELIVERY_POLICY[channel].maxAgeMs)
      const row = statement(NEXT).get({ channel, now: now(), distance: TAKEN_WITHIN_MS })
      if (row === undefined) return undefined
      channels.recordAttempt(channel)
      return readDelivery(row)
    })
  }

  const findUnconfirmed = (channel: ChannelName): UnconfirmedDelivery | undefined => {
    capWaits(channel)
    return read(() => {
      const row = statement(UNCONFIRMED).get({ channel, now: now() })
      if (row === undefined || channels.restsUntil(channel) > now()) return undefined
      const delivery = readDelivery(row)
      return { delivery, elapsedMs: now() - delivery.attemptAt }
    })
  }

  const settle = (delivery: Delivery, outcome: SendOutcome): DeliveryState => {
    const { id, channel, attempts, createdAt, heldUntil } = delivery
    const finish = (state: DeliveryState, detail: string): DeliveryState => {
      statement(FINISH).run(state, detail, now(), id)
      return state
    }
    if (outcome.state !== 'failed') {
      channels.recordSuccess(channel)
      return finish(outcome.state, outcome.detail + (delivery.isRepeat ? MAYBE_TWICE : ''))
    }
    const { error, retryAfterMs = 0, isUncertain = false } = outcome
    channels.recordFailure(channel, error, retryAfterMs)
    const nextAt = now() + Math.max(backoffMs(attempts, random()), retryAfterMs)
    const { maxAttempts, maxAgeMs } = DELIVERY_POLICY[channel]
    const tryLater = (): DeliveryState => {
      statement(TRY_LATER).run(nextAt, error.message, isUncertain ? 1 : 0, id)
      return 'waiting'
    }
    if (!error.retryable) return finish('failed', error.message)
    // Giving up is decided once it is known that it did not arrive.
    if (isUncertain) return tryLater()
    if (attempts >= maxAttempts) return finish('failed', gaveUp(`${attempts} attempts`, error))
    if (nextAt - Math.max(createdAt, heldUntil) > maxAgeMs)
      return finish('failed', gaveUp('too long a wait', error))
    return tryLater()
  }

  return {
    path,
    enqueue: (notice, deliveries, key) => write(() => enqueueAll(notice, deliveries, key)),
    findUnconfirmed,
    resolve: (unconfirmed, answer) => writeNow(() => resolve(unconfirmed, answer)),
    claim,
    settle: (delivery, outcome) => writeNow(() => settle(delivery, outcome)),
    record: (delivery, outcome) =>
      writeNow(() => {
        const detail = outcome.state === 'failed' ? outcome.error.message : outcome.detail
        insert(randomUUID(), delivery, { state: outcome.state, detail, attempts: 1 })
        channels.recordAttempt(delivery.channel)
        if (outcome.state === 'failed') channels.recordFailure(delivery.channel, outcome.error, 0)
        else channels.recordSuccess(delivery.channel)
      }),
    withdraw: (key) =>
      writeNow(() => {
        statement(WITHDRAW).run(now(), key)
        return statement(OF_KEY)
          .all(key)
          .map(readDelivery)
          .filter(({ state }) => state === 'delivered')
      }),
    retry: (id) => writeNow(() => retry(id)),
    find: (id) =>
      read(() => {
        const row = statement('SELECT * FROM deliveries WHERE id = ?').get(id)
        return row === undefined ? undefined : readDelivery(row)
      }),
    list: (limit, { state, before } = {}) =>
      read(() => {
        const wanted = { limit, state: state ?? null, before: before ?? null }
        return statement(LIST).all(wanted).map(readDelivery)
      }),
    channelStates: () => read(channels.list),
    taskTimes: createTaskTimes(database, now),
    prune: () =>
      writeNow(() => {
        channels.prune()
        statement('DELETE FROM taken WHERE at < ?').run(now() - RETENTION.maxAgeMs)
        statement(PRUNE).run(now() - RETENTION.maxAgeMs, RETENTION.maxRows)
      }),
    close: database.close,
  }
}

const toEnqueued = ({ id, channel, state, detail }: Delivery): Enqueued => ({
  id,
  channel,
  state,
  detail,
})

interface Inserted {
  state: DeliveryState
  detail: string | null
  attempts?: number
}

const MAYBE_TWICE = '; an attempt before may have arrived too'

const gaveUp = (after: string, error: StewardError): string =>
  `given up after ${after}: ${error.message}`

/** The identity of a delivery for deduplication. */
const digestOf = ({ channel, kind, title, message }: NewDelivery): string =>
  createHash('sha256')
    .update(JSON.stringify([channel, kind, title, message]))
    .digest('base64url')
