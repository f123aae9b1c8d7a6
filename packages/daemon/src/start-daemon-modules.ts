import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { API, type Route } from '@steward/contract'
import {
  checkDatabaseFile,
  commandLineOf,
  createWatchFolder,
  type Home,
  listOpenDatabases,
  once,
  readDiskSpace,
  redactLarge,
} from '@steward/platform'
import type { Bus } from './bus/bus.ts'
import {
  askingOf,
  characterOf,
  executionOf,
  hostedOf,
  hostedSessionsOf,
  hostedUsageOf,
  jobsOf,
  noticesOf,
  replyingOf,
  speechOf,
  usageOf,
} from './lazy-ports.ts'
import type { Log } from './log/log.ts'
import type { DaemonModule, ModuleEntry } from './module.ts'
import { ASKS, MODULE_NAMES, MODULE_ROUTES, type ModuleName } from './module-table.ts'
import type { SetTimer } from './server/module-runner.ts'
import type { CurrentSettings } from './settings/settings-keeper.ts'
import { createSpawnSteward } from './spawn-steward.ts'

/** The dependencies of modules. */
export interface ModuleParts {
  home: Home
  bus: Bus
  log: Log
  now: () => number
  setTimer: SetTimer
  current: () => CurrentSettings
  watchFolder: (path: string, onChange: () => void) => () => void
  /** The environment of the process. */
  processEnvironment: Readonly<Record<string, string | undefined>>
  homedir: string
  /** Receives lines for standard output. */
  writeOut: (line: string) => void
  /** The actions, pipelines and flows that ship with Steward. */
  library: string
  /** The command that starts Steward, for advice. */
  command: string
}

/** Runs that follow each other this quickly use the same definitions; an edit takes effect after it. */
const DEFINITIONS_FRESH_MS = 10

/**
 * All modules of this version in start order: events first, because pages and assistants request
 * them first, then modules that others use, and last those that read many files. Each is loaded
 * in turn; the bus holds messages until all have started.
 */
export const composeModules = (parts: ModuleParts): ModuleEntry[] => {
  const { home, homedir, bus, log, now, setTimer, current, processEnvironment } = parts
  const common = {
    home,
    bus,
    log,
    now,
    setTimer,
    settings: () => current().settings,
    environment: () => current().environment,
    redactor: () => current().redactor,
  }
  const program = [process.execPath, process.argv[1] ?? ''] as const
  const spawnSteward = createSpawnSteward({
    program,
    home: home.root,
    environment: processEnvironment,
  })
  const installation = dirname(parts.library)
  const usagePlace = { env: processEnvironment, homedir, home: home.root }
  const watchNotes = createWatchFolder(log.warn)
  const notifier = once(async () => {
    const { createNotifier, notifierMachine } = await import('@steward/notify')
    return createNotifier({ ...notifierMachine(), ...common })
  })
  const archive = once(async () => {
    const { archiveAt, loadArchive } = await import('@steward/knowledge')
    return loadArchive(archiveAt(home).root)
  })
  const wiki = once(async () => {
    const { createWikiModule } = await import('./modules/wiki/index.ts')
    return createWikiModule({
      ...common,
      archive: await archive(),
      watchFolder: watchNotes,
      installation,
      homedir,
      processEnvironment,
    })
  })

  const voice = once(async () => {
    const { createPrograms, createVoiceModule } = await import('./modules/voice/index.ts')
    return createVoiceModule({
      ...common,
      homedir,
      fetch,
      platform: process.platform,
      programs: createPrograms({ environment: processEnvironment, setTimer }),
    })
  })
  const notifications = once(async () => {
    const { createNotifyModule } = await import('./modules/notify/index.ts')
    const { tabPorts } = await import('@steward/notify')
    return createNotifyModule({
      ...common,
      notifier: await notifier(),
      speech: speechOf(voice),
      tabs: tabPorts,
      character: characterOf(() => assistant()),
    })
  })
  const notices = noticesOf(notifications)
  const hostedPorts = {
    ...common,
    notices,
    load: () => import('@steward/hosted'),
    fetch,
    abortAfter: AbortSignal.timeout,
  }
  const execution = once(async () => {
    const { createExecutionModule } = await import('./modules/execution/index.ts')
    const { openLocalRuntime } = await import('@steward/runner')
    const { createFlowSender } = await import('@steward/notify')
    const sendNotice = createFlowSender(await notifier())
    return createExecutionModule({
      open: () =>
        openLocalRuntime({
          env: { ...processEnvironment, STEWARD_HOME: home.root },
          homedir,
          builtIn: parts.library,
          now,
          sendNotice,
          writeNote: async (note) => {
            const { archiveAt, writeFlowNote } = await import('@steward/knowledge')
            return writeFlowNote(archiveAt(home), note, () => new Date(now()))
          },
          readUsage: async (period) => {
            const { readPeriod } = await import('@steward/assistants')
            return readPeriod({ ...usagePlace, databases: home.databases }, period, now())
          },
          redactRecords: redactLarge,
          assistant: async (task, options) => (await driven()).runTurn(task, options),
          hostedAgent: async (task, options) => {
            const { runHostedAgent } = await import('./modules/hosted/index.ts')
            return runHostedAgent(task, options, hostedPorts)
          },
          definitionsFreshMs: DEFINITIONS_FRESH_MS,
        }),
      redactRecords: redactLarge,
      bus,
      notices,
      log,
      now,
      setTimer,
      watchFolder: parts.watchFolder,
    })
  })
  const executionPort = executionOf(execution)
  const hosted = once(async () => {
    const { createHostedModule } = await import('./modules/hosted/index.ts')
    return createHostedModule(hostedPorts)
  })
  const commandLine = commandLineOf(installation, parts.command !== 'steward')
  const assistant = once(async () => {
    const { createAssistantModule } = await import('./modules/assistant/index.ts')
    return createAssistantModule({
      ...common,
      notices,
      execution: executionPort,
      newId: randomUUID,
      commandLine,
    })
  })

  const attention = once(async () => {
    const { createAttentionModule } = await import('./modules/attention/index.ts')
    return createAttentionModule({
      ...common,
      notices,
      hosted: hostedOf(hosted),
      command: parts.command,
      fetch,
    })
  })
  const usage = once(async () => {
    const { createUsageModule } = await import('./modules/usage/index.ts')
    return createUsageModule({
      ...common,
      notices,
      asking: askingOf(attention),
      place: usagePlace,
      importElsewhere: (signal) => spawnSteward(['usage', 'import'], signal),
      hosted: hostedUsageOf(hosted),
    })
  })
  const history = once(async () => {
    const { createHistoryModule } = await import('./modules/history/index.ts')
    return createHistoryModule({
      ...common,
      processEnvironment,
      asking: askingOf(attention),
      usage: usageOf(usage),
      hosted: hostedSessionsOf(hosted),
      readHistory: (signal) => spawnSteward(['sessions', 'index'], signal),
    })
  })

  const driven = once(async () => {
    const { createDrivenModule, drivenMachine } = await import('./modules/driven/index.ts')
    return createDrivenModule({
      ...common,
      ...drivenMachine({ home, homedir, processEnvironment, installation }),
      notices,
      homedir,
      asking: askingOf(attention),
      replying: replyingOf(history),
      processEnvironment,
    })
  })

  const loads: Record<ModuleName, () => Promise<DaemonModule>> = {
    observability: async () => {
      const { createEventsModule } = await import('./modules/events/index.ts')
      return createEventsModule({ ...common, fetch, abortAfter: AbortSignal.timeout })
    },
    live: async () => {
      const { createLiveModule } = await import('./modules/live/index.ts')
      return createLiveModule({ bus, setTimer })
    },
    voice,
    notifications,
    watchdog: async () => {
      const { createWatchdogModule } = await import('./modules/watchdog/index.ts')
      return createWatchdogModule({ ...common, writeOut: parts.writeOut })
    },
    hooks: async () => {
      const { createGuardsModule } = await import('./modules/guards/index.ts')
      const { realPathOf } = await import('@steward/assistants')
      return createGuardsModule({
        ...common,
        homedir,
        processEnvironment,
        realPath: realPathOf,
        commandLine,
      })
    },
    security: async () => {
      const { createSecurityModule } = await import('./modules/security/index.ts')
      return createSecurityModule({ ...common, homedir, processEnvironment })
    },
    learning: async () => {
      const { createLearningModule } = await import('./modules/learning/index.ts')
      return createLearningModule({
        ...common,
        homedir,
        execution: executionPort,
        failuresSince: async (sinceMs) => {
          const { readFailureGroups } = await import('@steward/runner')
          const { readFailedNotices } = await import('@steward/notify')
          const { databases } = home
          return [
            ...readFailureGroups(databases, sinceMs),
            ...readFailedNotices(databases, sinceMs),
          ]
        },
      })
    },
    knowledge: async () => {
      const { createKnowledgeModule } = await import('./modules/knowledge/index.ts')
      return createKnowledgeModule({
        ...common,
        watchFolder: watchNotes,
        loaded: await archive(),
        findNotes: (await wiki()).findNotes,
      })
    },
    wiki,
    observers: async () => {
      const { createObserversModule } = await import('./modules/observers/index.ts')
      return createObserversModule(common)
    },
    sessions: async () => {
      const { createSessionsModule } = await import('./modules/sessions/index.ts')
      return createSessionsModule({
        ...common,
        watchFolder: parts.watchFolder,
        jobs: jobsOf(assistant),
      })
    },
    attention,
    driven,
    history,
    work: async () => {
      const { createWorkModule } = await import('./modules/work/index.ts')
      return createWorkModule({ ...common, watchFolder: watchNotes })
    },
    execution,
    assistant,
    hosted,
    storage: async () => {
      const { createStorageModule } = await import('./modules/storage/index.ts')
      return createStorageModule({
        ...common,
        notices,
        openDatabases: () => listOpenDatabases(home.root),
        checkDatabase: checkDatabaseFile,
        readDisks: readDiskSpace,
      })
    },
    backup: async () => {
      const { createBackupModule, createSpawnBackup } = await import('./modules/backup/index.ts')
      return createBackupModule({
        ...common,
        backUp: createSpawnBackup(spawnSteward),
      })
    },
    telemetry: async () => {
      const { createTelemetryModule } = await import('./modules/telemetry/index.ts')
      return createTelemetryModule({
        ...common,
        // Loaded when a collector is configured.
        activity: {
          runsAfter: async (afterMs) => {
            const { readEndedRuns } = await import('@steward/runner')
            return readEndedRuns(home.databases, afterMs)
          },
          sessionsAfter: async (afterMs) => {
            const { readRecentSessions } = await import('@steward/assistants')
            return readRecentSessions(home.databases, afterMs)
          },
        },
      })
    },
    usage,
    doctor: async () => {
      const { createDoctorModule } = await import('./modules/doctor/index.ts')
      return createDoctorModule({ ...common, runChecks: () => runChecksIn(parts) })
    },
    setup: async () => {
      const { createSetupModule } = await import('./modules/setup/index.ts')
      return createSetupModule({
        ...common,
        place: { env: processEnvironment, homedir },
        installation,
      })
    },
    demo: async () => {
      const { createDemoModule } = await import('./modules/demo/index.ts')
      return createDemoModule({
        ...common,
        isDemo: processEnvironment.STEWARD_DEMO !== undefined,
        startDaemon: async (demo, person) => {
          const { createStartDemoDaemon } = await import('./start-demo-daemon.ts')
          return createStartDemoDaemon({ program, environment: processEnvironment })(demo, person)
        },
      })
    },
  }
  return MODULE_NAMES.map((name) => ({
    name,
    load: loads[name],
    routes: MODULE_ROUTES[name].map((operation): Route => API[operation]),
    ...(name === 'observability' ? { isBeforeListeners: true as const } : {}),
    ...(ASKS[name] === undefined ? {} : { asks: ASKS[name] }),
  }))
}

/** The checks of `steward doctor`, loaded on demand. */
const runChecksIn = async ({ home, homedir, library, command, ...parts }: ModuleParts) => {
  const [{ runChecks }, { suggestCommand }] = await Promise.all([
    import('./doctor/run-checks.ts'),
    import('./doctor/suggest-command.ts'),
  ])
  const env = { ...parts.processEnvironment, STEWARD_HOME: home.root }
  const nodeVersion = process.version
  const findings = await runChecks({ env, homedir, library, command, nodeVersion })
  return findings.map((finding) => suggestCommand(finding, command))
}
