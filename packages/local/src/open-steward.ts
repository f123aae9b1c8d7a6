import { join } from 'node:path'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { LIMITS, type Settings } from '@steward/contract'
import {
  createEnvironment,
  createRedactor,
  ensureHome,
  readEnvFile,
  readSettings,
  resolveHome,
  secretsOf,
} from '@steward/memory'
import { chooseProvider, createModelClient, type ModelClient, readModelEnvironment } from '@steward/models'
import { createGuardedFetch } from './capabilities/fetch/guarded-fetch.ts'
import { createReadFile } from './capabilities/read-file.ts'
import { createShell } from './capabilities/shell.ts'
import { catalogRoots, createCatalog, declaredSecrets } from './catalog/index.ts'
import { createFlowRunner } from './flows/index.ts'
import { recordFlowState } from './flows/flow-state.ts'
import { createSeenItems } from './flows/seen-items.ts'
import { openHistory } from './history/index.ts'
import { createRunner } from './runner/index.ts'
import { detectSandbox, type Detected } from './sandbox/index.ts'
import type { Steward, StewardOptions } from './steward.ts'

/** Opens the data home and puts the local Steward together. Nothing slow happens before it is needed. */
export const openSteward = async (options: StewardOptions): Promise<Steward> => {
  const now = options.now ?? Date.now
  const home = valueOf(await ensureHome(resolveHome(options.env, options.homedir)))
  const settings = valueOf(await readSettings(home))
  const environment = createEnvironment(options.env, valueOf(await readEnvFile(home.envFile)))
  const catalog = createCatalog(catalogRoots(home.user.root, options.builtIn))
  const redactor = createRedactor(secretsOf(environment, declaredSecrets(catalog)))
  const history = openHistory({
    directory: home.databases,
    redactor: {
      redact: (value) => {
        const { value: clean, found } = redactor.redact(value)
        return { value: clean, found: found.length > 0 }
      },
    },
  })
  const secret = (name: string) => environment[name] || undefined
  const fetch = createGuardedFetch({ allowPrivateHosts: settings.execution.fetch.allowPrivateHosts })
  const model = once(() => openModel(environment))
  const sandbox = once(() => detectSandbox())

  const runner = createRunner({
    catalog,
    history,
    now,
    model,
    fetch,
    secret,
    readFile: createReadFile([home.root, process.cwd(), ...settings.execution.readFile.roots]),
    shell: ({ network }) => async (argv, shellOptions) =>
      createShell({ ...shellSettings(settings, await sandbox()), network, env: options.env })(argv, shellOptions),
    budgets: () => settings.execution.budgets,
  })
  const flows = createFlowRunner(catalog, {
    runner,
    history,
    seen: createSeenItems(history.database, LIMITS.flowItemAttempts),
    now,
    fetch,
    secret,
    output: home.output,
    locks: join(home.databases, 'locks'),
    database: join(home.databases, 'flows.sqlite'),
    recordState: ({ flow }, { summary }) => recordFlowState(home.flowState, flow, summary),
  })
  return { home, settings, environment, redactor, catalog, history, runner, flows, fetch, model, sandbox, close: () => history.close() }
}

const openModel = async (environment: Record<string, string | undefined>): Promise<ModelClient> => {
  const choice = valueOf(await chooseProvider(valueOf(readModelEnvironment(environment)), { fetch: globalThis.fetch }))
  return createModelClient({
    choice,
    fetch: globalThis.fetch,
    sleep: (delayMs, signal) => sleepFor(delayMs, undefined, { signal }),
    now: () => new Date(),
  })
}
