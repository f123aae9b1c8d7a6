import { reasonOf, StewardError } from '@steward/contract'
import type { RunningHosted } from '@steward/hosted'
import { coalesce } from '@steward/platform'
import type { HostedModulePorts } from './ports.ts'

/** The state of this daemon's server. */
export type Stand =
  | { is: 'off' }
  | { is: 'starting' }
  | { is: 'running'; server: RunningHosted }
  | { is: 'failed'; reason: string }

export interface HostedKeeper {
  stand: () => Stand
  /** Starts, stops or restarts the server as the current settings require; resolves when done. */
  follow: () => Promise<void>
  stop: () => Promise<void>
}

const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000

/**
 * Keeps a hosted agent server running while the settings enable it. A failed start is retried with
 * growing delays, because bubblewrap may be installed later or a port may become free.
 */
export const createHostedKeeper = (
  ports: HostedModulePorts,
  onChange: () => void,
): HostedKeeper => {
  const { home, log, setTimer, settings, environment, load } = ports
  let stand: Stand = { is: 'off' }
  /** The settings that the server was started with; different ones require a restart. */
  let startedWith: string | undefined
  let failures = 0
  let isStopped = false
  let cancelRetry = (): void => undefined

  const become = (next: Stand): void => {
    stand = next
    onChange()
  }
  const wanted = (): string | undefined =>
    settings().hosted.enabled && !isStopped
      ? JSON.stringify([settings().hosted, environment()])
      : undefined

  const start = async (): Promise<void> => {
    become({ is: 'starting' })
    try {
      const { startHosted } = await load()
      const env = environment()
      const server = await startHosted({
        home: home.root,
        env,
        settings: settings().hosted,
        ...(env.DATABASE_URL ? { databaseUrl: env.DATABASE_URL } : {}),
        report: ({ message, code }, where) =>
          log.error(`hosted: ${message} [${code}]${where === undefined ? '' : ` (${where})`}`),
      })
      failures = 0
      log.info(`hosted agents are served on ${server.address}`)
      become({ is: 'running', server })
    } catch (thrown) {
      fail(describeFailure(thrown))
    }
  }
  const fail = (reason: string): void => {
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS)
    failures += 1
    log.error(`hosted did not start: ${reason}; trying again in ${delayMs / 1000} s`)
    become({ is: 'failed', reason })
    cancelRetry = setTimer(delayMs, () => {
      startedWith = undefined
      void follow()
    })
  }
  const end = async (): Promise<void> => {
    cancelRetry()
    if (stand.is !== 'running') return
    const { server } = stand
    become({ is: 'off' })
    await server.stop()
  }
  const follow = coalesce(async () => {
    const want = wanted()
    if (want === startedWith) return
    startedWith = want
    try {
      await end()
    } catch (thrown) {
      log.error(`hosted did not stop cleanly: ${reasonOf(thrown)}`)
    }
    if (want === undefined) become({ is: 'off' })
    else await start()
  })

  return {
    stand: () => stand,
    follow,
    stop: () => {
      isStopped = true
      cancelRetry()
      return follow()
    },
  }
}

const describeFailure = (thrown: unknown): string => {
  if (!(thrown instanceof StewardError)) return reasonOf(thrown)
  const remedy =
    thrown.code === 'port_busy'
      ? 'Stop the program that listens there, or set hosted.port in settings.json.'
      : thrown.remedy
  return `${thrown.message}. ${remedy}`
}
