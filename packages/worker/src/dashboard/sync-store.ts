import {
  isJsonObject,
  type JsonObject,
  reasonOf,
  StewardError,
  type StewardEvent,
  SYNC_KEYS,
  stewardEvent,
} from '@steward/contract'
import type { WorkerEnv } from '../env.ts'
import type { WorkerPorts } from '../platform.ts'
import { parseStored } from './read-push.ts'

export const SYNC_BINDING = 'DASHBOARD'

/** The part of a KV namespace that is used here. */
interface SyncNamespace {
  getWithMetadata: (key: string) => Promise<{ value: string | null; metadata: unknown }>
  put: (key: string, value: string, options: { metadata: JsonObject }) => Promise<void>
}

/** The pushed data; `receivedAt` is null for values that an edge-kv target wrote itself. */
export interface SyncStore {
  readEvents: () => Promise<{ events: StewardEvent[]; receivedAt: string | null }>
  writeEvents: (events: readonly StewardEvent[]) => Promise<void>
  readState: () => Promise<{ sessions: JsonObject; source: 'push'; receivedAt: string | null }>
  writeState: (state: JsonObject) => Promise<void>
}

export const findSyncStore = (env: WorkerEnv, { now }: Pick<WorkerPorts, 'now'>): SyncStore => {
  const namespace = env[SYNC_BINDING]
  if (!isSyncNamespace(namespace)) {
    const reason = `this worker has no ${SYNC_BINDING}: add a KV namespace in wrangler.jsonc`
    throw new StewardError('binding_missing', { reason })
  }
  const read = async (key: string) => {
    const { value, metadata } = await namespace.getWithMetadata(key)
    const receivedAt = isJsonObject(metadata) ? metadata.receivedAt : undefined
    return {
      value: value === null ? undefined : parseStored(value, key),
      receivedAt: typeof receivedAt === 'string' ? receivedAt : null,
    }
  }
  const write = async (key: string, value: unknown) => {
    const metadata = { receivedAt: new Date(now()).toISOString() }
    try {
      await namespace.put(key, JSON.stringify(value), { metadata })
    } catch (thrown) {
      throw writeFailed(thrown)
    }
  }
  return {
    readEvents: async () => {
      const { value, receivedAt } = await read(SYNC_KEYS.events)
      return { events: eventsIn(value), receivedAt }
    },
    writeEvents: (events) => write(SYNC_KEYS.events, events),
    readState: async () => {
      const { value, receivedAt } = await read(SYNC_KEYS.workState)
      const sessions = isJsonObject(value) && isJsonObject(value.sessions) ? value.sessions : {}
      return { sessions, source: 'push', receivedAt }
    },
    writeState: (state) => write(SYNC_KEYS.workState, state),
  }
}

/** The platform allows one write per second and key; clients push the newest state again anyway. */
const writeFailed = (thrown: unknown): StewardError => {
  const reason = reasonOf(thrown)
  const service = 'the KV namespace'
  const code = reason.includes('429') ? 'rate_limited' : 'upstream_failed'
  return new StewardError(code, { service, reason }, thrown)
}

const eventsIn = (value: unknown): StewardEvent[] => {
  const items: unknown[] = isJsonObject(value) && Array.isArray(value.events) ? value.events : []
  return (Array.isArray(value) ? value : items).flatMap((item) => {
    const parsed = stewardEvent.safeParse(item)
    return parsed.success ? [parsed.data] : []
  })
}

const isSyncNamespace = (value: unknown): value is SyncNamespace =>
  (isJsonObject(value) || typeof value === 'function') &&
  ['getWithMetadata', 'put'].every((method) => typeof Reflect.get(value, method) === 'function')
