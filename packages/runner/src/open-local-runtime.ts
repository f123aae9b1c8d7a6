import { join, resolve } from 'node:path'
import { setTimeout as sleepFor } from 'node:timers/promises'
import { StewardError, unwrap } from '@steward/contract'
import { type SendNotice, systemZone, type WriteNote } from '@steward/engine'
import {
  chooseProvider,
  createModelClient,
  type ModelClient,
  readModelEnvironment,
} from '@steward/models'
import {
  createEnvironment,
  createGuardedFetch,
  createRedactor,
  DEFAULT_PATH,
  detectSandbox,
  type Environment,
  ensureHome,
  expandTilde,
  once,
  type Redactor,
  readEnvFile,
  readSettings,
  redactHere,
  resolveHome,
  secretsOf,
} from '@steward/platform'
import { createActionHosts } from './action-host/index.ts'
import { createReadFile } from './capabilities/read-file.ts'
import { createShell } from './capabilities/shell.ts'
import { catalogRoots, createCatalog, declaredSecrets } from './catalog/index.ts'
import { createFlowRunner } from './create-flow-runner.ts'
import { openFeeds } from './feed-store/index.ts'
import { maskSummary, recordFlowState } from './flows/flow-state.ts'
import { createOpenLedger } from './history/flow-items.ts'
import { openHistory, pruneWhenDue } from './history/index.ts'
import type { LocalRuntime, LocalRuntimeOptions } from './local-runtime.ts'
import { createOfflineModel } from './offline-model/offline-model.ts'
import { createRunner, type RunnerPorts } from './runner/index.ts'
import type { ReadUsage } from './sources/index.ts'

/** Opens the data home and assembles the local Steward. Slow parts are created on demand. */
export const openLocalRuntime = async (options: LocalRuntimeOptions): Promise<LocalRuntime> => {
  const { now = Date.now, cwd = process.cwd(), definitionsFreshMs } = options
  const { sendNotice = refuseNotice, writeNote = refuseNote, readUsage = refuseUsage } = options
  const home = unwrap(await ensureHome(resolveHome(options.env, options.homedir)))
  const settings = unwrap(await readSettings(home))
  const environment = createEnvironment(options.env, unwrap(await readEnvFile(home.envFile)))
  const catalog = createCatalog(catalogRoots(home.user.root, options.builtIn))
  const redactor = createRedactor(secretsOf(environment, declaredSecrets(catalog)))
  const { redactRecords = redactHere } = options
  const history = openHistory({ directory: home.databases, redactor, redactRecords })
  const { budgets, destinations, fetch: fetching, readFile, shell } = settings.execution
  const fromHome = (path: string) => resolve(home.root, expandTilde(path, options.homedir))
  const secretFiles = [home.envFile, home.token, home.databases]
  const secret = (name: string) => environment[name] || undefined
  const fetch = createGuardedFetch(fetching)
  const model = once(() => openModel(environment, redactor))
  const sandbox = once(() => detectSandbox(environment.PATH ? { path: environment.PATH } : {}))

  const openShell: RunnerPorts['shell'] = (scope) => async (argv, shellOptions) => {
    const detected = await sandbox()
    const separation = detected.ok
      ? { sandbox: detected.value }
      : { sandbox: undefined, unavailable: detected.error }
    const run = createShell({
      ...separation,
      ...shell,
      ...scope,
      env: environment,
      never: secretFiles,
    })
    return run(argv, shellOptions)
  }
  const hosts = createActionHosts(environment.PATH ? { path: environment.PATH } : {})
  const runner = createRunner({
    catalog,
    history,
    hosts,
    now,
    ...(definitionsFreshMs === undefined ? {} : { definitionsFreshMs }),
    model,
    fetch,
    secret,
    readFile: createReadFile(
      [home.user.root, home.output, home.memory, cwd, ...readFile.roots.map(fromHome)],
      {
        never: secretFiles,
      },
    ),
    shell: openShell,
    ...(options.assistant === undefined ? {} : { assistant: options.assistant }),
    ...(options.hostedAgent === undefined ? {} : { hostedAgent: options.hostedAgent }),
    path: environment.PATH || DEFAULT_PATH,
    budgets: () => budgets,
  })
  const feeds = openFeeds(home, fetching, now)
  const flows = createFlowRunner(catalog, {
    runner,
    feeds,
    producer: feeds.queue,
    history,
    ledger: createOpenLedger(history.database, redactor),
    random: Math.random,
    zone: () => settings.assistant.timezone ?? systemZone(),
    now,
    fetch,
    secret,
    sendNotice,
    writeNote,
    readUsage,
    shell: openShell,
    path: environment.PATH || DEFAULT_PATH,
    folders: {
      roots: [home.output, ...destinations.roots.map(fromHome)],
      never: [home.databases, home.envFile, home.token, home.settings],
    },
    locks: join(home.databases, 'locks'),
    database: join(home.databases, 'flows.sqlite'),
    recordState: ({ flow }, { summary }) =>
      recordFlowState(home.flowState, flow, maskSummary(summary, redactor)),
  })
  const close = async () => {
    await hosts.close()
    await pruneWhenDue(history, settings.execution.history, join(home.databases, 'pruned'), now())
    await Promise.all([history.close(), feeds.close()])
  }
  return {
    home,
    builtIn: options.builtIn,
    settings,
    environment,
    redactor,
    catalog,
    history,
    runner,
    flows,
    feeds,
    fetch,
    model,
    sandbox,
    close,
  }
}

const openModel = async (environment: Environment, redactor: Redactor): Promise<ModelClient> => {
  // The vendor's address is the user's own setting and may be private, so this fetch is not
  // guarded.
  const { fetch } = globalThis
  const choice = unwrap(await chooseProvider(unwrap(readModelEnvironment(environment)), { fetch }))
  if (choice.provider === 'offline') return createOfflineModel()
  return createModelClient({
    choice,
    fetch,
    sleep: (delayMs, signal) => sleepFor(delayMs, undefined, { signal }),
    now: () => new Date(),
    redact: (text) => redactor.redactText(text).value,
  })
}

const refuseNotice: SendNotice = async () => {
  const reason = 'this program cannot send notifications'
  throw new StewardError('not_configured', { subject: 'the notify destination', reason })
}

const refuseNote: WriteNote = async () => {
  const reason = 'this program cannot write notes'
  throw new StewardError('not_configured', { subject: 'the note destination', reason })
}

const refuseUsage: ReadUsage = async () => {
  const reason = 'this program cannot read usage'
  throw new StewardError('not_configured', { subject: 'the usage source', reason })
}
