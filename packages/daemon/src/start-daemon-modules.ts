import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { realPathOf } from '@steward/assistants'
import { archiveAt, loadArchive } from '@steward/knowledge'
import { createFlowSender, createNotifier, notifierMachine, tabPorts } from '@steward/notify'
import { createWatchFolder, type Home } from '@steward/platform'
import { openSteward } from '@steward/runner'
import type { Bus } from './bus/bus.ts'
import type { Log } from './log/log.ts'
import type { DaemonModule } from './module.ts'
import { createAssistantModule } from './modules/assistant/index.ts'
import { createDoctorModule } from './modules/doctor/index.ts'
import { createEventsModule } from './modules/events/index.ts'
import { createExecutionModule } from './modules/execution/index.ts'
import { createGuardsModule } from './modules/guards/index.ts'
import { createHostedModule } from './modules/hosted/index.ts'
import { createKnowledgeModule } from './modules/knowledge/index.ts'
import { createLearningModule } from './modules/learning/index.ts'
import { createLiveModule } from './modules/live/index.ts'
import { createNotifyModule } from './modules/notify/index.ts'
import { createObserversModule } from './modules/observers/index.ts'
import { createSecurityModule } from './modules/security/index.ts'
import { createSessionsModule } from './modules/sessions/index.ts'
import { createPrograms, createVoiceModule } from './modules/voice/index.ts'
import { createWatchdogModule } from './modules/watchdog/index.ts'
import { createWikiModule } from './modules/wiki/index.ts'
import type { SetTimer } from './server/module-runner.ts'
import type { CurrentSettings } from './settings/settings-keeper.ts'

/** What modules are made of. */
export interface ModuleParts {
  home: Home
  bus: Bus
  log: Log
  now: () => number
  setTimer: SetTimer
  current: () => CurrentSettings
  watchFolder: (path: string, onChange: () => void) => () => void
  /** What the process was given. */
  processEnvironment: Readonly<Record<string, string | undefined>>
  homedir: string
  /** Takes lines for standard output. */
  writeOut: (line: string) => void
  /** The actions, pipelines and flows that ship with Steward. */
  library: string
  /** What a person types to start Steward, for advice. */
  command: string
}

/** Every module of this version, in the order they start: listeners before who speaks to them. */
export const composeModules = (parts: ModuleParts): DaemonModule[] => {
  const { home, homedir, bus, log, now, setTimer, current } = parts
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
  const notifier = createNotifier({ ...notifierMachine(), ...common })
  const watchNotes = createWatchFolder(log.warn)
  const archive = loadArchive(archiveAt(home).root)
  const wiki = createWikiModule({
    ...common,
    archive,
    watchFolder: watchNotes,
    installation: dirname(parts.library),
    homedir,
    processEnvironment: parts.processEnvironment,
  })
  const voice = createVoiceModule({
    ...common,
    homedir,
    fetch,
    platform: process.platform,
    programs: createPrograms({ environment: parts.processEnvironment, setTimer }),
  })
  const notify = createNotifyModule({
    ...common,
    notifier,
    speech: voice.speech,
    tabs: tabPorts,
  })
  const execution = createExecutionModule({
    open: () =>
      openSteward({
        env: { ...parts.processEnvironment, STEWARD_HOME: home.root },
        homedir,
        builtIn: parts.library,
        sendNotice: createFlowSender(notifier),
      }),
    bus,
    notices: notify.notices,
    log,
    now,
    setTimer,
    watchFolder: parts.watchFolder,
  })
  return [
    createLiveModule({ bus, setTimer }),
    voice,
    notify,
    createWatchdogModule({ ...common, writeOut: parts.writeOut }),
    createGuardsModule({
      ...common,
      homedir,
      processEnvironment: parts.processEnvironment,
      realPath: realPathOf,
    }),
    createSecurityModule({
      ...common,
      homedir,
      processEnvironment: parts.processEnvironment,
    }),
    createLearningModule({ ...common, homedir, execution: execution.execution }),
    createKnowledgeModule({
      ...common,
      watchFolder: watchNotes,
      loaded: archive,
      findNotes: wiki.findNotes,
    }),
    wiki,
    createObserversModule(common),
    createEventsModule({ ...common, fetch, abortAfter: AbortSignal.timeout }),
    createSessionsModule({ ...common, watchFolder: parts.watchFolder }),
    execution,
    createAssistantModule({
      ...common,
      notices: notify.notices,
      execution: execution.execution,
      newId: randomUUID,
    }),
    createHostedModule({
      ...common,
      load: () => import('@steward/hosted'),
      fetch,
      abortAfter: AbortSignal.timeout,
    }),
    createDoctorModule({ ...common, runChecks: () => runChecksIn(parts) }),
  ]
}

/** The checks of `steward doctor`, loaded when someone asks for them. */
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

/** Named in `/health`, so that no one looks for what is not there. */
export const NOT_IN_THIS_VERSION = ['cron'] as const
