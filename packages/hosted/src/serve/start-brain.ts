import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { resolveModelAlias, StewardError, toStewardError } from '@steward/contract'
import type { ProviderChoice } from '@steward/models'
import {
  createGuardedStream,
  isAlive,
  readStartTime,
  startBackgroundTimer,
} from '@steward/platform'
import type { BrainFile } from '../brain/brain.ts'
import { createBrain } from '../brain/create-brain.ts'
import type { ConnectMcp } from '../brain/mcp/mcp.ts'
import { createHostedModel } from '../brain/models/create-hosted-model.ts'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { type FilePorts, readFile } from '../files/read-file.ts'
import { getFile } from '../files/stored-file.ts'
import { freeLeases, listLeaseOwners } from '../log/lease.ts'
import { createRefreshOauth } from '../vaults/refresh-oauth.ts'
import { openHandsSession } from './open-hands-session.ts'
import type { ServerContext } from './server-context.ts'
import { repeat } from './timers.ts'
import { createTokenFetch } from './token-fetch.ts'

/** How soon sessions of a killed brain on this machine continue. */
const LOOK_FOR_DEAD_MS = 500

/** How long each session may take to finish its step at shutdown. */
const DRAIN_MS = 5000

/** Runs sessions; the returned function stops it. */
export const startBrain = async (
  parts: ServerContext,
  choice: ProviderChoice,
): Promise<() => Promise<void>> => {
  const { options, database, hands, seal } = parts
  const read = (fileId: string): Promise<BrainFile> => readWholeFile(parts, fileId, Date.now())
  const readUpload = async (fileId: string): Promise<Uint8Array> => (await read(fileId)).bytes
  const model = createHostedModel(choice, {
    fetch,
    sleep: async (ms) => sleep(ms),
    now: () => new Date(),
  })
  const brain = createBrain(
    {
      database,
      hands,
      model,
      replaceModel: (wanted) => resolveModelAlias(options.settings.modelAliases, wanted),
      connectMcp: openMcp(parts),
      openHands: (sessionId) => openHandsSession({ database, seal, readUpload }, sessionId),
      readFile: (fileId) => read(fileId).catch(nothingIfGone),
      now: Date.now,
      timer: startBackgroundTimer,
      report: options.report,
    },
    { owner: nameBrain(), sessions: options.settings.sessions },
  )
  await freeDeadLeases(database, isDeadOwner)
  const stopLooking = repeat(LOOK_FOR_DEAD_MS, () => {
    freeDeadLeases(database, isDeadOwner).catch((thrown: unknown) =>
      options.report(toStewardError(thrown), 'leases of dead brains'),
    )
  })
  brain.start()
  return async () => {
    stopLooking()
    const patience = new Promise<void>((resolve) => startBackgroundTimer(DRAIN_MS, resolve))
    await Promise.race([brain.close('drain'), patience])
    await brain.close('abandon')
  }
}

const nothingIfGone = (thrown: unknown): undefined => {
  if (thrown instanceof StewardError && thrown.status === 404) return undefined
  throw thrown
}

let made = 0

/** Identifies a brain in leases: machine, pid and start time. */
const nameBrain = (): string => {
  made += 1
  return `${hostname()} ${process.pid} ${readStartTime(process.pid) ?? '-'} ${made}`
}

/** Whether an owner ran on this machine and is dead; unknown for other machines. */
const isDeadOwner = (owner: string): boolean => {
  const [host, pid, startTime] = owner.split(' ')
  if (host !== hostname() || pid === undefined || startTime === undefined || startTime === '-')
    return false
  return !isAlive(Number(pid)) || readStartTime(Number(pid)) !== startTime
}

/**
 * Releases leases of killed brains on this machine, so that their sessions continue immediately instead
 * of after the lease expires. For other machines the expiry applies.
 */
const freeDeadLeases = async (
  database: HostedDatabase,
  isDead: (owner: string) => boolean,
): Promise<void> => {
  const owners = await database.read(() => listLeaseOwners())
  for (const owner of owners.filter(isDead)) await database.write(() => freeLeases(owner))
}

/** More than a tool's result should need, and small enough for memory. */
const BODY_BYTES = 16 * 1024 * 1024

/** Connects to MCP servers as the settings allow. */
const openMcp = (parts: ServerContext): ConnectMcp => {
  let loaded: Promise<ConnectMcp> | undefined
  return async (...given) => {
    loaded ??= load(parts)
    const connect = await loaded
    return connect(...given)
  }
}

/** The library is large, and most servers never need it. */
const load = async ({ options, database, seal }: ServerContext): Promise<ConnectMcp> => {
  const { createConnectMcp } = await import('../brain/mcp/connect-mcp.ts')
  const allowPrivateHosts = options.settings.mcpPrivateHosts
  const fetch = createTokenFetch(options.settings)
  const now = Date.now
  return createConnectMcp({
    database,
    seal,
    fetch: createGuardedStream({ allowPrivateHosts, bodyBytes: BODY_BYTES }),
    refreshOauth: createRefreshOauth({ database, seal, fetch, now }),
    now,
    timer: startBackgroundTimer,
  })
}

/** A complete stored file, for messages that refer to it and sandboxes that mount it. */
const readWholeFile = async (
  ports: FilePorts,
  fileId: string,
  nowMs: number,
): Promise<BrainFile> => {
  const file = await ports.database.read(() => getFile(fileId, nowMs))
  const pieces: Uint8Array[] = []
  for await (const piece of readFile(ports, file)) pieces.push(piece)
  return {
    name: file.body.filename,
    mediaType: file.body.mime_type,
    bytes: Buffer.concat(pieces),
  }
}
