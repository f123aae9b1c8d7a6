import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Anthropic from '@anthropic-ai/sdk'
import { hostedSettings, type StewardError } from '@steward/contract'
import { createKey, type NewKey } from '../../keys/keys.ts'
import type { StartHostedOptions } from '../../serve/hosted-options.ts'
import { openStore } from '../../serve/open-store.ts'
import { startHosted } from '../../serve/start-hosted.ts'
import { createAnswerCheck } from './check-answers.ts'
import type { ClientVersion } from './client-versions.ts'
import { type ScriptedMessages, startScriptedMessages } from './scripted-messages.ts'

/** A complete server as a user starts it, with a scripted model. */
export interface World {
  address: string
  folder: string
  model: ScriptedMessages
  /** Internal errors that the server reported. */
  failures: StewardError[]
  /** The secret of a new key, which has every scope by default. */
  makeKey(wanted?: Partial<NewKey>): Promise<string>
  stop(): Promise<void>
}

export const startWorld = async (given: Partial<StartHostedOptions> = {}): Promise<World> => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-conformance-'))
  const model = await startScriptedMessages()
  const failures: StewardError[] = []
  const options: StartHostedOptions = {
    home: join(folder, 'home'),
    env: { LLM_PROVIDER: 'anthropic', LLM_API_KEY: 'stand-in', LLM_BASE_URL: model.address },
    settings: hostedSettings.parse({}),
    port: 0,
    report: (error) => failures.push(error),
    ...given,
  }
  const server = await startHosted(options)
  return {
    address: server.address ?? '',
    folder,
    model,
    failures,
    makeKey: async (wanted = {}) => {
      const store = await openStore(options)
      const made = await store.write(() =>
        createKey({ name: 'test', scope: 'admin', nowMs: Date.now(), ...wanted }),
      )
      await store.close()
      return made.secret
    },
    stop: async () => {
      await server.stop()
      await model.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A client of one version; `faults` are responses that violate the contract. */
export const connect = async (
  world: World,
  { create }: ClientVersion,
  given: { key?: string; maxRetries?: number; baseURL?: string } = {},
) => {
  const { fetch, done, faults } = createAnswerCheck()
  const client: Anthropic = create({
    apiKey: given.key ?? (await world.makeKey()),
    baseURL: given.baseURL ?? world.address,
    maxRetries: given.maxRetries ?? 0,
    fetch,
  })
  return { client, done, faults }
}
