import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import type { StewardError } from '@steward/contract'
import { createGuardedFetch } from '@steward/platform'
import type { HostedDatabase } from '../../database/hosted-database.ts'
import { openTestStore } from '../../database/testing/open-test-store.ts'
import type { SessionOutput } from '../../files/read-file.ts'
import { createKey, type NewKey } from '../../keys/keys.ts'
import { createModelList } from '../../models/model-list.ts'
import { createRefreshOauth } from '../../vaults/refresh-oauth.ts'
import { createSeal } from '../../vaults/seal.ts'
import { createTryOauth } from '../../vaults/try-oauth.ts'
import { createHostedApi, type HostedApi } from '../create-hosted-api.ts'
import { HOSTED_API_LIMITS, type HostedApiPorts } from '../ports.ts'
import { releaseEnded } from '../release-ended.ts'
import { serveHostedApi } from '../serve-hosted-api.ts'

export interface TestApi {
  api: HostedApi
  database: HostedDatabase
  ports: HostedApiPorts
  address: string
  /** The secret of a new key, which has every scope by default. */
  makeKey(wanted?: Partial<NewKey>): Promise<string>
  /** The official client, unchanged, with its own key. */
  client: Anthropic
  clientWith(key: string): Anthropic
  key: string
  clock: { nowMs: number }
  /** Runs the repeated actions once, such as the keep-alive. */
  repeatNow(): void
  outputs: Map<string, SessionOutput[]>
  released: string[]
  failures: StewardError[]
  stop(): Promise<void>
}

const START_MS = Date.UTC(2026, 10, 15, 12)

/** The real app on a real store in its own folder, served on a free port. */
export const startTestApi = async (given: Partial<HostedApiPorts> = {}): Promise<TestApi> => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-hosted-api-'))
  const database = given.database ?? openTestStore(join(folder, 'hosted.sqlite'))
  const clock = { nowMs: START_MS }
  const repeated = new Set<() => void>()
  const outputs = new Map<string, SessionOutput[]>()
  const released: string[] = []
  const failures: StewardError[] = []
  const seal = createSeal(randomBytes(32))
  const now = (): number => clock.nowMs
  const fetch = createGuardedFetch({ allowPrivateHosts: ['127.0.0.1'] })
  const refreshOauth = createRefreshOauth({ database, seal, fetch, now })
  const ports: HostedApiPorts = {
    database,
    now,
    repeat: (_, action) => {
      repeated.add(action)
      return () => repeated.delete(action)
    },
    setTimer: (delayMs, action) => {
      const timer = setTimeout(action, delayMs)
      return () => clearTimeout(timer)
    },
    seal,
    tryOauth: createTryOauth({ fetch, refreshOauth }),
    hands: {
      describe: () => ({
        driver: 'bubblewrap',
        isolated: true,
        limits: 'cgroup-v2',
        seccomp: true,
        network: 'tcp',
        remarks: [],
      }),
    },
    outputs: async (sessionId) => outputs.get(sessionId) ?? [],
    isPriced: (model) => model.startsWith('claude-'),
    models: createModelList({ list: async () => [], aliases: {}, now }),
    report: (error) => failures.push(error),
    ownNames: [],
    limits: HOSTED_API_LIMITS,
    ...given,
  }
  const api = createHostedApi(ports)
  const release = async (sessionId: string, workspace: string): Promise<void> => {
    released.push(`${workspace} ${sessionId}`)
  }
  releaseEnded(database, { release }, ports.report)
  const server = await serveHostedApi(api, {
    host: '127.0.0.1',
    port: 0,
    setTimer: ports.setTimer,
  })
  const makeKey = async (wanted: Partial<NewKey> = {}): Promise<string> => {
    const nowMs = clock.nowMs
    const made = await database.write(() =>
      createKey({ name: 'test', scope: 'admin', nowMs, ...wanted }),
    )
    return made.secret
  }
  const clientWith = (key: string): Anthropic =>
    new Anthropic({ apiKey: key, baseURL: server.address, maxRetries: 0 })
  const key = await makeKey()
  return {
    api,
    database,
    ports,
    address: server.address,
    makeKey,
    client: clientWith(key),
    clientWith,
    key,
    clock,
    repeatNow: () => {
      for (const action of repeated) action()
    },
    outputs,
    released,
    failures,
    stop: async () => {
      await server.stop()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
