import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type SessionError, toStewardError, unwrap } from '@steward/contract'
import { chooseProvider, type ProviderChoice, readModelEnvironment } from '@steward/models'
import { createGuardedFetch } from '@steward/platform'
import { startSchedule } from '../deployments/start-schedule.ts'
import type { SessionOutput } from '../files/read-file.ts'
import { listOutputs, openOutput } from '../hands/mounts/list-outputs.ts'
import { createProvisionSession } from '../hands/mounts/provision-session.ts'
import { createPackageCache } from '../hands/packages/package-cache.ts'
import { appendEvents } from '../log/append-events.ts'
import { readModelCalls } from '../overview/model-calls.ts'
import { startBucketSweep } from '../snapshots/bucket/sweep-bucket.ts'
import { loadHomeId } from '../snapshots/home-id.ts'
import { locateOutputs } from '../snapshots/snapshot-outputs.ts'
import { loadMasterKey } from '../vaults/master-key.ts'
import { createSeal } from '../vaults/seal.ts'
import { startWebhooks } from '../webhooks/send-webhooks.ts'
import type { HostedFacts, RunningHosted, StartHostedOptions } from './hosted-options.ts'
import { hostedPlaceOf } from './hosted-place.ts'
import { maskReport } from './mask-report.ts'
import { openFiles } from './open-files.ts'
import { openStore } from './open-store.ts'
import { releaseEnded } from './release-ended.ts'
import type { ServerContext } from './server-context.ts'
import { openServerHands } from './server-hands.ts'
import { createIsPriced, showServer, startApi } from './start-api.ts'
import { startBrain } from './start-brain.ts'
import { countSessions } from './status.ts'
import { repeat } from './timers.ts'

const MIB = 1024 ** 2
const DAY_MS = 86_400_000

/** Starts a server of hosted agents: store, hands, brain and API, or some of them. */
export const startHosted = async (given: StartHostedOptions): Promise<RunningHosted> => {
  const report = maskReport(given)
  const options = { ...given, report }
  const { home, env, role = 'all' } = options
  const place = hostedPlaceOf(home)
  await mkdir(place.folder, { recursive: true, mode: 0o700 })
  // In order of creation; closed in reverse order, also if a later one fails.
  const open: (() => Promise<void>)[] = []
  const closeAll = async (): Promise<void> => {
    // A failed close must not prevent the others, because they may hold sandboxes.
    for (const close of open.splice(0).reverse())
      await close().catch((thrown: unknown) => report(toStewardError(thrown), 'the end'))
  }
  try {
    const choice = await chooseModel(options)
    const database = await openStore(options)
    open.push(() => database.close())
    const given = env.STEWARD_HOSTED_MASTER_KEY || undefined
    const seal = createSeal(await loadMasterKey({ given, path: place.masterKey }))
    const logError = (sessionId: string, error: SessionError): void => {
      const event = { type: 'session.error', body: { error } }
      database
        .write(() => appendEvents(sessionId, [event], { nowMs: Date.now() }))
        .catch((thrown: unknown) => report(toStewardError(thrown), sessionId))
    }
    const { cacheMb, cacheDays, registries } = options.settings.packages
    const surround = createProvisionSession({
      packageCache: createPackageCache({
        folder: join(place.folder, 'packages'),
        maxBytes: cacheMb * MIB,
        maxIdleMs: cacheDays * DAY_MS,
      }),
      registries,
      report,
      onError: logError,
    })
    const homeId = await loadHomeId(place.folder)
    const { bucket, pieces, files, description } = await openFiles(options, database, homeId)
    const hands = await openServerHands(options, {
      surround,
      ...(files === undefined ? {} : { files }),
      onLoss: (sessionId, message) =>
        logError(sessionId, { type: 'unknown_error', message, retry_status: { type: 'terminal' } }),
    })
    open.push(() => hands.close())
    const stopReleasing = releaseEnded(database, hands, report)
    open.push(async () => stopReleasing())
    const cache = join(place.folder, 'snapshots')
    const outputs = async (sessionId: string) =>
      listSessionOutputs(await locateOutputs({ database, pieces, home, homeId, cache }, sessionId))
    const parts: ServerContext = { options, place, database, seal, hands, outputs }
    if (role !== 'api') {
      open.push(await startBrain(parts, choice))
      const isPriced = createIsPriced(options.settings)
      const shared = { database, seal, now: Date.now, repeat, report }
      open.push(startSchedule({ ...shared, isPriced }))
      if (bucket !== undefined) open.push(startBucketSweep({ ...shared, bucket }))
      const allowPrivateHosts = options.settings.webhookPrivateHosts
      open.push(startWebhooks({ ...shared, fetch: createGuardedFetch({ allowPrivateHosts }) }))
    }
    const server = role === 'brain' ? undefined : await startApi(parts, choice)
    if (server !== undefined) {
      open.push(() => server.stop())
      open.push(await showServer(parts, server))
    }
    return {
      address: server?.address,
      facts: { ...factsOf(parts, choice), files: description },
      hear: (listener) =>
        database.hear(({ news }) => {
          if (news.type !== 'preview') listener()
        }),
      countSessions: () => database.read(countSessions),
      modelCalls: (after, limit) => database.read(() => readModelCalls(after, limit)),
      stop: closeAll,
    }
  } catch (thrown) {
    await closeAll()
    throw thrown
  }
}

const chooseModel = async ({ env }: StartHostedOptions): Promise<ProviderChoice> => {
  const wanted = unwrap(readModelEnvironment(env))
  const choice = unwrap(await chooseProvider(wanted, { fetch }))
  return choice
}

const factsOf = (
  { options, database, hands }: ServerContext,
  choice: ProviderChoice,
): Omit<HostedFacts, 'files'> => {
  const { driver, isolated, limits, seccomp, network, remarks } = hands.describe()
  return {
    role: options.role ?? 'all',
    engine: database.engine,
    database: database.place,
    driver,
    isolated,
    limits,
    seccomp,
    network,
    model: `${choice.provider}: ${choice.reason}`,
    remarks,
  }
}

/** The files under `/mnt/session/outputs`. */
const listSessionOutputs = async (folder: string): Promise<SessionOutput[]> =>
  (await listOutputs(folder)).map(({ path, sizeBytes, modifiedAtMs }) => ({
    path,
    sizeBytes,
    modifiedMs: modifiedAtMs,
    read: async () => {
      const file = await openOutput(folder, path)
      try {
        return await file.readFile()
      } finally {
        await file.close()
      }
    },
  }))
