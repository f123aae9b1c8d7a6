import type { FlowEntry } from '@steward/contract'
import { findD1, findKv, findQueue, findR2, findService } from '../bindings.ts'
import type { WorkerEnv } from '../env.ts'

/** Throws `binding_missing` for the first binding that a flow needs and does not have, before anything is begun. */
export const checkBindings = (
  { source, pipeline, destination }: FlowEntry,
  env: WorkerEnv,
): void => {
  findKv(env, 'FLOW_STATE')
  if (source.type === 'queue') findD1(env, 'FEEDS_DB')
  else findKv(env, 'SEEN_ITEMS')
  if (pipeline !== undefined) findService(env, pipeline)
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
    case 'api':
  }
}
