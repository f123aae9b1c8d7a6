import {
  destinationsOf,
  type FlowDestination,
  type FlowEntry,
  StewardError,
  sourcesOf,
} from '@steward/contract'
import { findD1, findKv, findQueue, findR2, findService } from '../bindings.ts'
import type { WorkerEnv } from '../env.ts'

/** Throws `binding_missing` for the first missing binding of a flow, before any work starts. */
export const checkBindings = (flow: FlowEntry, env: WorkerEnv): void => {
  const [source] = sourcesOf(flow)
  const { pipeline } = flow
  findKv(env, 'FLOW_STATE')
  if (source.type !== 'feeds') findD1(env, 'ITEMS_DB')
  if (source.type === 'queue') findD1(env, 'FEEDS_DB')
  else findKv(env, 'SEEN_ITEMS')
  if (pipeline !== undefined) findService(env, pipeline)
  for (const destination of destinationsOf(flow)) checkDestination(destination, env)
}

const checkDestination = (destination: FlowDestination, env: WorkerEnv): void => {
  switch (destination.type) {
    case 'email':
      findService(env, 'A_SEND_EMAIL')
      return
    case 'database':
      findD1(env, 'FLOW_DB')
      return
    case 'file':
      findR2(env, 'FLOW_FILES')
      return
    case 'queue':
      findQueue(env, destination.queue)
      return
    case 'notify':
      throw noNotices()
    case 'api':
  }
}

/** The build skips such flows; this covers workers made in another way. */
export const noNotices = (): StewardError =>
  new StewardError('not_available', {
    subject: 'the notify destination',
    reason: 'channels and their outbox are on the machine of the user, not on the edge',
  })
