import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { StewardError } from '@steward/contract'
import { writeFileAtomically } from '@steward/memory'
import { chooseProvider, type ProviderChoice, readModelEnvironment } from '@steward/models'
import { createHostedApi } from '../api/create-hosted-api.ts'
import { HOSTED_API_LIMITS, type HostedApiPorts } from '../api/ports.ts'
import { type HostedServer, serveHostedApi } from '../api/serve-hosted-api.ts'
import { priceCall } from '../brain/cost/price-call.ts'
import { createBrain } from '../brain/create-brain.ts'
import { createHostedModel } from '../brain/models/create-hosted-model.ts'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { Hands } from '../hands/hands.ts'
import { loadMasterKey } from '../vaults/master-key.ts'
import { createSeal, type Seal } from '../vaults/seal.ts'
import type { HostedFacts, RunningHosted, StartHostedOptions } from './hosted-options.ts'
import { type HostedPlace, hostedPlaceOf } from './hosted-place.ts'
import { openHandsSession } from './open-hands-session.ts'
import { openStore } from './open-store.ts'
import { ensureOwnKey } from './own-key.ts'
import { readWholeFile } from './read-whole-file.ts'
import { openServerHands } from './server-hands.ts'
import { repeat, setTimer } from './timers.ts'

const LOOPBACK = '127.0.0.1'
const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }

/** Starts a server of hosted agents: the store, the hands, the brain and the API, or some of them. */
export const startHosted = async (options: StartHostedOptions): Promise<RunningHosted> => {
  const place = hostedPlaceOf(options.home)
  await mkdir(place.folder, { recursive: true, mode: 0o700 })
  // In the order they are made; ended in the opposite one, also when a later one fails.
  const open: (() => Promise<void>)[] = []
  const closeAll = async (): Promise<void> => {
    for (const close of open.splice(0).reverse()) await close()
  }
  try {
    const role = options.role ?? 'all'
    const choice = await chooseModel(options)
    const database = await openStore(options)
    open.push(() => database.close())
    const seal = createSeal(
      await loadMasterKey({
        given: options.env.STEWARD_HOSTED_MASTER_KEY || undefined,
        path: place.masterKey,
      }),
    )
    const hands = await openServerHands(options)
    open.push(() => hands.close())
    const outputs = async (): ReturnType<HostedApiPorts['outputs']> => []
    const parts: Parts = { options, place, database, seal, hands, outputs }
    if (role !== 'api') open.push(startBrain(parts, choice))
    const server = role === 'brain' ? undefined : await startApi(parts)
    if (server !== undefined) open.push(() => server.stop(), await showPlace(parts, server))
    return { address: server?.address, facts: factsOf(parts, choice), stop: closeAll }
  } catch (thrown) {
    await closeAll()
    throw thrown
  }
}

interface Parts {
  options: StartHostedOptions
  place: HostedPlace
  database: HostedDatabase
  seal: Seal
  hands: Hands
  outputs: HostedApiPorts['outputs']
}

const chooseModel = async ({ env }: StartHostedOptions): Promise<ProviderChoice> => {
  const wanted = readModelEnvironment(env)
  if (!wanted.ok) throw wanted.error
  const choice = await chooseProvider(wanted.value, { fetch })
  if (!choice.ok) throw choice.error
  return choice.value
}

const startBrain = (parts: Parts, choice: ProviderChoice): (() => Promise<void>) => {
  const { options, database, hands, seal } = parts
  const readStored = (fileId: string) => readWholeFile(parts, fileId, Date.now())
  const brain = createBrain(
    {
      database,
      hands,
      model: createHostedModel(choice, {
        fetch,
        sleep: async (ms) => sleep(ms),
        now: () => new Date(),
      }),
      openHands: (sessionId) =>
        openHandsSession(
          { database, seal, readUpload: async (fileId) => (await readStored(fileId)).bytes },
          sessionId,
        ),
      readFile: async (fileId) =>
        readStored(fileId).catch((thrown: unknown) => {
          if (thrown instanceof StewardError && thrown.status === 404) return undefined
          throw thrown
        }),
      now: Date.now,
      timer: setTimer,
      report: options.report,
    },
    {
      owner: `${hostname()} ${process.pid} ${randomBytes(6).toString('hex')}`,
      sessions: options.settings.sessions,
    },
  )
  brain.start()
  return () => brain.close('abandon')
}

const startApi = (parts: Parts): Promise<HostedServer> => {
  const { options, database, seal, hands, outputs } = parts
  const api = createHostedApi({
    database,
    now: Date.now,
    repeat,
    setTimer,
    seal,
    hands,
    outputs,
    isPriced: (model) => priceCall(model, NO_TOKENS) !== null,
    report: options.report,
    ownNames: options.settings.names,
    limits: HOSTED_API_LIMITS,
  })
  return serveHostedApi(api, {
    host: options.host ?? LOOPBACK,
    port: options.port ?? options.settings.port,
  })
}

/** Leaves word of where the server is, and a key to it, for commands on this machine. */
const showPlace = async (
  { place, database }: Parts,
  { address }: HostedServer,
): Promise<() => Promise<void>> => {
  await ensureOwnKey(database, place.ownKey, Date.now())
  const text = `${JSON.stringify({ address, pid: process.pid }, null, 2)}\n`
  await writeFileAtomically(place.server, text)
  return async () => {
    const shown = await readFile(place.server, 'utf8').catch(() => '')
    // Another server of this home may have come since.
    if (shown === text) await rm(place.server, { force: true })
  }
}

const factsOf = ({ options, database, hands }: Parts, choice: ProviderChoice): HostedFacts => {
  const { driver, isolated, limits, seccomp, remarks } = hands.describe()
  return {
    role: options.role ?? 'all',
    engine: database.engine,
    database: database.place,
    driver,
    isolated,
    limits,
    seccomp,
    model: `${choice.provider}: ${choice.reason}`,
    remarks,
  }
}
