import {
  HOSTED_LIMITS,
  NO_HEARTBEAT,
  StewardError,
  type WorkHeartbeat,
  type WorkItem,
} from '@steward/contract'
import { execute, type Tx } from '../database/tx.ts'
import { TOKEN_LIFE_MS } from './poll-work.ts'
import { getWork, type StoredWork, toWorkItem, type WorkPlace, writeWork } from './stored-work.ts'

/** A worker has accepted the item; the usual lease applies until its first heartbeat. */
export function* ackWork(place: WorkPlace, nowMs: number): Tx<WorkItem> {
  const work = yield* getWork(place, 'hold')
  if (work.state === 'starting' || work.state === 'active') return toWorkItem(work)
  if (work.state !== 'queued')
    throw new StewardError('work_conflict', {
      work: work.id,
      state: work.state,
      reason: 'it is no longer in the queue',
    })
  const acked: StoredWork = {
    ...work,
    state: 'starting',
    leaseUntilMs: nowMs + HOSTED_LIMITS.heartbeatTtlDefaultSeconds * 1000,
    body: { ...work.body, acknowledgedMs: nowMs },
  }
  yield* writeWork(acked)
  return toWorkItem(acked)
}

export interface Beat {
  expected: string | undefined
  ttlSeconds: number
}

/** Extends the lease if the caller knows the last heartbeat; any other caller has lost it. */
export function* beatWork(place: WorkPlace, beat: Beat, nowMs: number): Tx<WorkHeartbeat> {
  const work = yield* getWork(place, 'hold')
  const { expected, ttlSeconds } = beat
  if (work.state === 'stopping' || work.state === 'stopped') return toBeat(work, false, ttlSeconds)
  if (work.state === 'queued' || (expected ?? last(work)) !== last(work))
    throw mismatch(work, nowMs)
  const kept: StoredWork = {
    ...work,
    state: 'active',
    heartbeat: nextBeat(work, nowMs),
    leaseUntilMs: nowMs + ttlSeconds * 1000,
    body: { ...work.body, startedMs: work.body.startedMs ?? nowMs },
  }
  yield* writeWork(kept)
  yield* execute(
    'UPDATE keys SET expires_ms = $2 WHERE work_id = $1 AND expires_ms < $2',
    work.id,
    nowMs + TOKEN_LIFE_MS,
  )
  return toBeat(kept, true, ttlSeconds)
}

const last = ({ heartbeat }: StoredWork): string => heartbeat ?? NO_HEARTBEAT

/** Always unique, because a repeated value would make an old heartbeat valid. */
const nextBeat = ({ heartbeat }: StoredWork, nowMs: number): string => {
  const before = heartbeat === null ? 0 : Date.parse(heartbeat)
  return new Date(Math.max(nowMs, before + 1)).toISOString()
}

const toBeat = (work: StoredWork, extended: boolean, ttlSeconds: number): WorkHeartbeat => ({
  type: 'work_heartbeat',
  last_heartbeat: work.heartbeat ?? '',
  lease_extended: extended,
  state: work.state,
  ttl_seconds: extended ? ttlSeconds : 0,
})

const mismatch = (work: StoredWork, nowMs: number): StewardError =>
  new StewardError('heartbeat_mismatch', {
    work: work.id,
    reason: `its last heartbeat is ${last(work)}`,
    wire: {
      current_state: {
        last_heartbeat: work.heartbeat,
        lease_extended: false,
        state: work.state,
        ttl_seconds: Math.max(0, Math.ceil(((work.leaseUntilMs ?? nowMs) - nowMs) / 1000)),
      },
    },
  })
