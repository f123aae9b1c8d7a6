import { join } from 'node:path'
import {
  type ModuleHealth,
  reasonOf,
  StewardError,
  toStewardError,
  unwrap,
} from '@steward/contract'
import {
  createRateLimits,
  createRequestLog,
  createStaticFiles,
  createStreamCount,
  type HttpServer,
  isLoopback,
  type ServerLimits,
  systemPeerAccounts,
} from '@steward/http'
import {
  claimHome,
  createTokenReader,
  endLeftSandboxes,
  ensureHome,
  type Home,
  migrateHome,
  removeDaemonInfo,
  resolveHome,
  startBackgroundTimer,
  writeDaemonInfo,
} from '@steward/platform'
import { createHeldBus } from './bus/bus.ts'
import { createLog } from './log/log.ts'
import type { DaemonModule, Handler, ModuleEntry } from './module.ts'
import { rememberFor } from './remember-for.ts'
import { createAuthHandlers } from './server/auth/auth-handlers.ts'
import { createBrowserSessions } from './server/auth/browser-sessions.ts'
import { createGate } from './server/auth/gate.ts'
import { fillMissingRoutes } from './server/fill-missing-routes.ts'
import { createHealthHandlers } from './server/health-handlers.ts'
import { startHttpServer } from './server/http-server.ts'
import { createModuleRunner } from './server/module-runner.ts'
import { namePortHolder } from './server/name-port-holder.ts'
import { choosePort } from './settings/choose-port.ts'
import { explainPending } from './settings/explain-pending.ts'
import { createSettingsKeeper, readCurrentSettings } from './settings/settings-keeper.ts'
import { createWatchFolder } from './settings/watch-folder.ts'
import { composeModules, type ModuleParts } from './start-daemon-modules.ts'

export interface DaemonOptions {
  env: Readonly<Record<string, string | undefined>>
  homedir: string
  /** The data home, if not `STEWARD_HOME`. */
  home?: string
  port?: number
  /** Where the actions, pipelines and flows that ship with Steward are. */
  library: string
  /** The folder of the built dashboard. */
  dashboard: string
  /** Receives log lines, for standard error. */
  write: (line: string) => void
  /** Receives notifications, for standard output. */
  writeOut: (line: string) => void
  /** The command that starts Steward, for advice; defaults to `steward`. */
  command?: string
  now?: () => number
  limits?: ServerLimits
  /** Replaces this version's modules. */
  modules?: (parts: ModuleParts) => (DaemonModule | ModuleEntry)[]
}

export interface Daemon {
  /** `http://127.0.0.1:31337`. */
  address: string
  home: Home
  /** Stops gracefully; idempotent. */
  stop: () => Promise<void>
  /** Resolves when it has ended. */
  done: Promise<void>
}

const DRAIN_MS = 1500
const BUILT_KNOWN_MS = 1000
const BUILD_DASHBOARD = 'npm start'

/**
 * Starts the daemon; undefined if the settings disable its server. Throws if it cannot start: a
 * second daemon on the home, a taken port, unreadable settings.
 */
export const startDaemon = async (options: DaemonOptions): Promise<Daemon | undefined> => {
  const { env, now = Date.now, limits } = options
  const homeEnvironment = options.home === undefined ? env : { ...env, STEWARD_HOME: options.home }
  const ensured = unwrap(await ensureHome(resolveHome(homeEnvironment, options.homedir)))
  const home = ensured
  const initial = await readCurrentSettings(home, env)
  if (!initial.settings.observability.server.enabled) return undefined

  const lock = await claimHome(home)
  try {
    unwrap(await migrateHome(home))
    const log = createLog({
      write: options.write,
      now: () => new Date(now()),
      redactor: () => keeper.current().redactor,
    })
    const { host } = initial.settings.observability.server
    const isBeyondLoopback = !isLoopback(host)
    if (isBeyondLoopback && initial.settings.auth.mode !== 'strict') throw needsStrict(host)
    const wantedPort = choosePort(options.port, initial.environment, initial.settings)
    const hasFixedPort = options.port !== undefined || Boolean(initial.environment.STEWARD_PORT)

    let server: HttpServer | undefined
    const port = () => server?.port ?? wantedPort
    const bus = createHeldBus(log)
    const watchFolder = createWatchFolder(log.warn)
    const keeper = createSettingsKeeper(initial, {
      home,
      processEnvironment: env,
      bus,
      log,
      setTimer: startBackgroundTimer,
      watchFolder,
      explainPending: (settings) =>
        explainPending(settings, initial.settings, { isBeyondLoopback, hasFixedPort }),
    })
    const current = keeper.current

    const parts: ModuleParts = {
      home,
      bus,
      log,
      now,
      setTimer: startBackgroundTimer,
      current,
      watchFolder,
      processEnvironment: env,
      homedir: options.homedir,
      writeOut: options.writeOut,
      library: options.library,
      command: options.command ?? 'steward',
    }
    const runner = createModuleRunner(
      [keeper.module, ...(options.modules ?? composeModules)(parts)],
      { log, setTimer: startBackgroundTimer },
    )

    const token = createTokenReader(home.token, now)
    const sessions = createBrowserSessions({
      path: join(home.databases, 'sign-ins.json'),
      token,
      now,
      warn: log.warn,
    })
    await sessions.load()
    const cookieName = () => `steward_session_${port()}`
    // A daemon that listens on the network stays strict even if the settings change.
    const mode = () => (isBeyondLoopback ? 'strict' : current().settings.auth.mode)
    const gate = createGate({
      token,
      sessions,
      mode,
      cookieName,
      isOwnAccount: systemPeerAccounts((reason) =>
        log.warn(
          `callers without the token are refused: their account cannot be determined: ${reason}`,
        ),
      ),
    })
    const refusals = createRequestLog('refused', log.warn, elapsed)
    const failures = createRequestLog('failed', log.error, elapsed)
    const streams = createStreamCount()
    const pages = createStaticFiles(options.dashboard, BUILD_DASHBOARD)
    const isDashboardBuilt = rememberFor(BUILT_KNOWN_MS, startBackgroundTimer, pages.isBuilt)
    const startedMs = elapsed()
    const startedAt = now()

    const health = createHealthHandlers({
      now,
      modules: runner.modules,
      waitForAll: runner.waitForAll,
      isStarted: runner.isStarted,
      describeServer: async () => ({
        ...(await describeToken(token)),
        mode: mode(),
        refused: refusals.count(),
        failed: failures.count(),
        streams: streams.open(),
        connections: (await server?.connections()) ?? 0,
      }),
      describeDashboard: async () =>
        (await isDashboardBuilt())
          ? { status: 'ok' }
          : { status: 'unavailable', reasons: [`not built: ${BUILD_DASHBOARD}`] },
      port,
      pid: process.pid,
      startedAt,
      uptimeMs: () => elapsed() - startedMs,
      homeRoot: home.root,
      redact: (text) => current().redactor.redactText(text).value,
    })
    const own: Handler[] = [...health, ...createAuthHandlers({ gate, sessions, cookieName, now })]

    const ofModules = runner.modules.flatMap(({ handlers, waitUntilRunning }) =>
      handlers.map((handler) => ({
        handler,
        checkRunning: () => waitUntilRunning(handler.route),
      })),
    )
    const missing = fillMissingRoutes([...own, ...ofModules.map(({ handler }) => handler)])
    server = await listenOrExplain({
      served: [
        ...[...own, ...missing].map((handler) => ({ handler, checkRunning: () => undefined })),
        ...ofModules,
      ],
      gate,
      rateLimits: createRateLimits(elapsed),
      streams,
      refusals,
      failures,
      homeRoot: home.root,
      servePage: pages.serve,
      host,
      port: wantedPort,
      setTimer: startBackgroundTimer,
      ...(limits === undefined ? {} : { limits }),
    })
    const listening = server
    const address = `http://${listening.hosts[0]}:${listening.port}`
    // Requests are answered from now on; the daemon is registered once all modules have started.
    await runner.start()
    bus.release()
    await writeDaemonInfo(home, {
      pid: process.pid,
      address,
      startedAt: new Date(startedAt).toISOString(),
    })
    const ended = endLeftSandboxes()
    if (ended > 0) log.info(`ended ${ended} sandboxes that an earlier process left behind`)
    log.info(
      `listening on ${listening.hosts.map((each) => `${each}:${listening.port}`).join(', ')}`,
    )

    const done = Promise.withResolvers<void>()
    let isStopping = false
    const stop = async (): Promise<void> => {
      log.info('stopping')
      // Other timers do not keep the process running: it would end before a module that hangs is abandoned.
      const keptAlive = setInterval(() => undefined, DRAIN_MS)
      try {
        await listening.stop(DRAIN_MS)
        await runner.stop()
        await removeDaemonInfo(home)
        lock.release()
      } finally {
        clearInterval(keptAlive)
      }
      log.info('stopped')
    }
    return {
      address,
      home,
      stop: () => {
        if (!isStopping) stop().then(done.resolve, done.reject)
        isStopping = true
        return done.promise
      },
      done: done.promise,
    }
  } catch (thrown) {
    lock.release()
    throw thrown
  }
}

const listenOrExplain = async (
  ports: Parameters<typeof startHttpServer>[0],
): Promise<HttpServer> => {
  try {
    return await startHttpServer(ports)
  } catch (thrown) {
    const error = toStewardError(thrown)
    throw error.code === 'port_busy' ? await namePortHolder(error, '127.0.0.1', ports.port) : error
  }
}

/** Without a readable token every request that needs one is refused. */
const describeToken = async (token: () => Promise<string>): Promise<ModuleHealth> => {
  try {
    await token()
    return { status: 'ok' }
  } catch (thrown) {
    return { status: 'failed', reasons: [reasonOf(thrown)] }
  }
}

const needsStrict = (host: string): StewardError =>
  new StewardError('not_configured', {
    subject: `observability.server.host ${host}`,
    reason: 'an address that other machines reach needs auth.mode "strict"',
  })

/** A monotonic clock. */
const elapsed = (): number => performance.now()
