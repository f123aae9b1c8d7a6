import {
  destinationsOf,
  type FlowDestination,
  type FlowEntry,
  type FlowSource,
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
  const local = sourcesOf(flow).find(({ type }) => LOCAL_SOURCES.has(type))
  if (local !== undefined) throw staysHere(`the ${local.type} source`)
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
    case 'note':
    case 'git':
      throw staysHere(`the ${destination.type} destination`)
    case 'api':
    case 'webhook':
    case 'slack':
    case 'discord':
    case 's3':
  }
}

/** Sources that need files, programs or other protocols than HTTP. */
const LOCAL_SOURCES: ReadonlySet<FlowSource['type']> = new Set([
  'folder',
  'mailbox',
  'command',
  'usage',
])

/** The build skips such flows; this covers workers made in another way. */
export const staysHere = (subject: string): StewardError =>
  new StewardError('not_available', {
    subject,
    reason: 'it works on the machine of the user and not on the edge',
  })
