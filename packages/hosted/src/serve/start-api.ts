import { readFile, rm } from 'node:fs/promises'
import { type HostedSettings, resolveModelAlias } from '@steward/contract'
import { listServedModels, type ProviderChoice, priceCall } from '@steward/models'
import { startBackgroundTimer, withVersion, writeFileAtomically } from '@steward/platform'
import { createModelList } from '../models/model-list.ts'
import { createRefreshOauth } from '../vaults/refresh-oauth.ts'
import { createTryOauth } from '../vaults/try-oauth.ts'
import { createHostedApi } from './create-hosted-api.ts'
import { ensureOwnKey } from './own-key.ts'
import { HOSTED_API_LIMITS, type HostedApiPorts } from './ports.ts'
import { type HostedServer, serveHostedApi } from './serve-hosted-api.ts'
import type { ServerContext } from './server-context.ts'
import { repeat } from './timers.ts'
import { createTokenFetch } from './token-fetch.ts'

const LOOPBACK = '127.0.0.1'
const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }

/** Whether the model that a name stands for has a list price. */
export const createIsPriced =
  ({ modelAliases }: HostedSettings): HostedApiPorts['isPriced'] =>
  (model) =>
    priceCall(resolveModelAlias(modelAliases, model), NO_TOKENS) !== null

export const startApi = (
  { options, database, seal, hands, outputs }: ServerContext,
  choice: ProviderChoice,
): Promise<HostedServer> => {
  const { modelAliases } = options.settings
  const fetch = createTokenFetch(options.settings)
  const refreshOauth = createRefreshOauth({ database, seal, fetch, now: Date.now })
  const api = createHostedApi({
    database,
    now: Date.now,
    repeat,
    setTimer: startBackgroundTimer,
    seal,
    tryOauth: createTryOauth({ fetch, refreshOauth }),
    hands,
    outputs,
    isPriced: createIsPriced(options.settings),
    models: createModelList({
      list: () => listServedModels(choice, globalThis.fetch),
      aliases: modelAliases,
      now: Date.now,
    }),
    report: options.report,
    ownNames: options.settings.names,
    limits: HOSTED_API_LIMITS,
  })
  return serveHostedApi(api, {
    host: options.host ?? LOOPBACK,
    port: options.port ?? options.settings.port,
    setTimer: startBackgroundTimer,
  })
}

/** Publishes the server's address and a key for commands on this machine. */
export const showServer = async (
  { place, database }: ServerContext,
  { address }: HostedServer,
): Promise<() => Promise<void>> => {
  await ensureOwnKey(database, place.ownKey, Date.now())
  const text = `${JSON.stringify(withVersion({ address, pid: process.pid }), null, 2)}\n`
  await writeFileAtomically(place.server, text)
  return async () => {
    const shown = await readFile(place.server, 'utf8').catch(() => '')
    // Another server of this home may have replaced the file.
    if (shown === text) await rm(place.server, { force: true })
  }
}
