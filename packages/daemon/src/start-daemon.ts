import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  API,
  type Health,
  type ModuleHealth,
  type Readiness,
  reasonOf,
  type Settings,
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
  ensureHome,
  type Home,
  readToken,
  removeDaemonInfo,
  resolveHome,
  writeDaemonInfo,
} from '@steward/platform'
import { createHeldBus } from './bus/bus.ts'
import { createLog } from './log/log.ts'
import { type DaemonModule, type Handler, handle, type ModuleEntry } from './module.ts'
import { rememberFor } from './remember-for.ts'
import { createAuthHandlers } from './server/auth/auth-handlers.ts'
import { createBrowserSessions } from './server/auth/browser-sessions.ts'
import { createGate } from './server/auth/gate.ts'
import { fillMissingRoutes } from './server/fill-missing-routes.ts'
import { describeHealth, describeReadiness } from './server/health.ts'
import { startHttpServer } from './server/http-server.ts'
import { createModuleRunner, type SetTimer } from './server/module-runner.ts'
import { namePortHolder } from './server/name-port-holder.ts'
import { choosePort } from './settings/choose-port.ts'
import { createSettingsKeeper, readCurrentSettings } from './settings/settings-keeper.ts'
import { createWatchFolder } from './settings/watch-folder.ts'
import { composeModules, type ModuleParts, NOT_IN_THIS_VERSION } from './start-daemon-modules.ts'

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
/** How long `/health` waits for modules that start before it reports them as starting. */
const HEALTH_WAIT_MS = 2000
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
      setTimer,
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
      setTimer,
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
      { log, setTimer },
    )

    const token = () => readToken(home.token)
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
    const isDashboardBuilt = rememberFor(BUILT_KNOWN_MS, setTimer, pages.isBuilt)
    const startedMs = elapsed()
    const startedAt = now()

    /** Without a token that can be read nobody gets in. */
    const describeToken = async (): Promise<ModuleHealth> => {
      try {
        await token()
        return { status: 'ok' }
      } catch (thrown) {
        return { status: 'failed', reasons: [reasonOf(thrown)] }
      }
    }
    const describeOwn = async (): Promise<Record<string, ModuleHealth>> => ({
      server: {
        ...(await describeToken()),
        mode: mode(),
        refused: refusals.count(),
        failed: failures.count(),
        streams: streams.open(),
        connections: (await server?.connections()) ?? 0,
      },
      dashboard: (await isDashboardBuilt())
        ? { status: 'ok' }
        : { status: 'unavailable', reasons: [`not built: ${BUILD_DASHBOARD}`] },
    })
    const describeNow = async (): Promise<Health> => {
      // Directly after a start the answer would be outdated before it arrives.
      await runner.waitForAll(HEALTH_WAIT_MS)
      const own = await describeOwn()
      // Requests that arrive together are answered together.
      await nextTurn()
      return describeHealth({
        subsystems: () => ({
          ...Object.fromEntries(runner.modules.map(({ name, health }) => [name, health()])),
          ...own,
          ...UNAVAILABLE,
        }),
        port,
        pid: process.pid,
        startedAt,
        uptimeMs: () => elapsed() - startedMs,
        homeRoot: home.root,
        redact: (text) => current().redactor.redactText(text).value,
        isStarted: runner.isStarted,
      })
    }
    let whenDescribed: Promise<{ text: string; readiness: Readiness }> | undefined
    /** Callers that ask at once share one answer. */
    const describeOnce = () => {
      whenDescribed ??= describeNow()
        .then((health) => ({ text: JSON.stringify(health), readiness: describeReadiness(health) }))
        .finally(() => {
          whenDescribed = undefined
        })
      return whenDescribed
    }
    const json = (text: string, status = 200) =>
      new Response(text, { status, headers: { 'content-type': 'application/json' } })
    const own: Handler[] = [
      handle(API.getHealth, async () => json((await describeOnce()).text)),
      handle(API.getLiveness, () => ({ alive: true as const })),
      handle(API.getReadiness, async () => {
        const { readiness } = await describeOnce()
        return json(JSON.stringify(readiness), readiness.ready ? 200 : 503)
      }),
      ...createAuthHandlers({ gate, sessions, cookieName, now }),
    ]

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
      setTimer,
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

const UNAVAILABLE = Object.fromEntries(
  NOT_IN_THIS_VERSION.map((name): [string, ModuleHealth] => [
    name,
    { status: 'unavailable', reasons: ['not in this version'] },
  ]),
)

const needsStrict = (host: string): StewardError =>
  new StewardError('not_configured', {
    subject: `observability.server.host ${host}`,
    reason: 'an address that other machines reach needs auth.mode "strict"',
  })

/** Explains which new settings need a restart. */
const explainPending = (
  settings: Settings,
  inForce: Settings,
  { isBeyondLoopback, hasFixedPort }: { isBeyondLoopback: boolean; hasFixedPort: boolean },
): string[] => {
  const wanted = settings.observability.server
  const { server } = inForce.observability
  const restart = 'takes effect at the next start'
  return [
    ...(wanted.port !== server.port && !hasFixedPort
      ? [`observability.server.port ${wanted.port} ${restart}`]
      : []),
    ...(wanted.host !== server.host ? [`observability.server.host ${wanted.host} ${restart}`] : []),
    ...(wanted.enabled ? [] : [`observability.server.enabled false ${restart}`]),
    ...(isBeyondLoopback && settings.auth.mode !== 'strict'
      ? ['auth.mode stays strict while the daemon listens beyond loopback']
      : []),
  ]
}

/** A monotonic clock. */
const elapsed = (): number => performance.now()

const setTimer: SetTimer = (delayMs, action) => {
  const timer = setTimeout(action, delayMs)
  timer.unref()
  return () => clearTimeout(timer)
}
