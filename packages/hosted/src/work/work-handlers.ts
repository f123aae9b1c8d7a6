import { applyMetadataPatch, findMetadataFault, HOSTED_API, type WorkItem } from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import { type Call, changes, type Handler, opens, reads } from '../api/handler.ts'
import { readPage } from '../api/page.ts'
import { invalid } from '../api/refusal.ts'
import { createWhere } from '../api/where.ts'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { toInstant } from '../database/instant.ts'
import { one } from '../database/tx.ts'
import { getEnvironment } from '../environments/stored-environment.ts'
import { ackWork, beatWork } from './heartbeat.ts'
import { POLLING_MS, pollWork, recordPoller } from './poll-work.ts'
import { stopWork } from './stop-work.ts'
import { getWork, toStoredWork, toWorkItem, WORK_COLUMNS, writeWork } from './stored-work.ts'
import type { WorkBell } from './work-bell.ts'

export interface WorkPorts {
  database: HostedDatabase
  bell: WorkBell
  now: () => number
  setTimer: StartTimer
}

const SOURCE = {
  select: `SELECT ${WORK_COLUMNS} FROM work`,
  timeColumn: 'created_ms',
  timeName: 'created_ms',
  idColumn: 'id',
}

export const createWorkHandlers = (ports: WorkPorts): readonly Handler[] => [
  opens(HOSTED_API.pollWork, ({ params, query }, call) =>
    waitForWork(ports, call, {
      environmentId: params.environment_id,
      blockMs: query.block_ms,
      reclaimMs: query.reclaim_older_than_ms,
    }),
  ),
  changes(HOSTED_API.ackWork, ({ params }, { nowMs }) => ackWork(params, nowMs)),
  changes(HOSTED_API.heartbeatWork, ({ params, query }, { nowMs }) => {
    const expected = query.expected_last_heartbeat
    return beatWork(params, { expected, ttlSeconds: query.desired_ttl_seconds }, nowMs)
  }),
  changes(HOSTED_API.stopWork, ({ params, body }, { nowMs }) =>
    stopWork(params, body?.force === true, nowMs),
  ),
  changes(HOSTED_API.updateWork, function* ({ params, body }) {
    const work = yield* getWork(params, 'hold')
    const metadata = applyMetadataPatch(work.body.metadata, body.metadata)
    const fault = findMetadataFault(metadata)
    if (fault !== undefined) throw invalid('metadata', fault, 'invalid_metadata')
    const changed = { ...work, body: { ...work.body, metadata } }
    yield* writeWork(changed)
    return toWorkItem(changed)
  }),
  reads(HOSTED_API.getWork, function* ({ params }) {
    return toWorkItem(yield* getWork(params))
  }),
  reads(HOSTED_API.listWork, function* ({ params, query }) {
    yield* getEnvironment(params.environment_id)
    const where = createWhere()
    where.add('environment_id = ?', params.environment_id)
    const page = yield* readPage(SOURCE, where, { ...query, order: 'desc' })
    return {
      data: page.rows.map((row) => toWorkItem(toStoredWork(row))),
      next_page: page.next_page,
    }
  }),
  reads(HOSTED_API.getWorkStats, function* ({ params }, { nowMs }) {
    yield* getEnvironment(params.environment_id)
    const counts = yield* one(
      `SELECT SUM(CASE WHEN offered_ms IS NULL THEN 1 ELSE 0 END) AS depth,
         SUM(CASE WHEN offered_ms IS NULL THEN 0 ELSE 1 END) AS pending,
         MIN(created_ms) AS oldest_ms
       FROM work WHERE environment_id = $1 AND state = 'queued'`,
      params.environment_id,
    )
    const pollers = yield* one(
      'SELECT COUNT(*) AS count FROM pollers WHERE environment_id = $1 AND polled_ms > $2',
      params.environment_id,
      nowMs - POLLING_MS,
    )
    const oldest = counts?.oldest_ms ?? null
    return {
      type: 'work_queue_stats' as const,
      depth: Number(counts?.depth ?? 0),
      pending: Number(counts?.pending ?? 0),
      oldest_queued_at: oldest === null ? null : toInstant(Number(oldest)),
      workers_polling: Number(pollers?.count ?? 0),
    }
  }),
]

interface PollOptions {
  environmentId: string
  blockMs: number | undefined
  reclaimMs: number
}

/** Checks, waits for work up to the limit, and checks once more. */
const waitForWork = async (
  { database, bell, now, setTimer }: WorkPorts,
  call: Call,
  { environmentId, blockMs, reclaimMs }: PollOptions,
): Promise<WorkItem | null> => {
  await database.read(() => getEnvironment(environmentId))
  const workerId = call.header('anthropic-worker-id')
  if (workerId !== undefined)
    await database.write(() => recordPoller(environmentId, workerId.slice(0, 256), now()))
  const look = (): Promise<WorkItem | null> =>
    database.write(() => pollWork({ environmentId, reclaimMs }, now()))
  const found = await look()
  if (found !== null || blockMs === undefined) return found
  const { outgoing } = call.context.env
  await bell.wait(environmentId, (stop) => {
    const cancel = setTimer(blockMs, stop)
    outgoing.once('close', () => {
      cancel()
      stop()
    })
  })
  // The client is gone and cannot take the work.
  return outgoing.destroyed ? null : look()
}
