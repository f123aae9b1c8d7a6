import { type Result, StewardError } from '@steward/contract'
import type { HandsReport } from '../hands.ts'
import { type OpenBubblewrapOptions, openBubblewrap } from './bubblewrap/open-bubblewrap.ts'
import { openContainer } from './container/open-container.ts'
import { chooseLimiter } from './limits/choose-limiter.ts'
import type { Limiter } from './limits/limits.ts'
import { createUnisolated } from './none.ts'
import { endOrphans, type Running, recordRunning } from './running.ts'
import type { SandboxDriver } from './sandbox.ts'

export interface OpenDriverOptions {
  /** Steward's home; all session data is under `hosted` in it. */
  home: string
  /** `none` disables isolation and must be requested explicitly. */
  driver?: HandsReport['driver']
  /**
   * For `docker` and `gvisor`: an image with bash and the usual programs that is already on the
   * machine.
   */
  image?: string
  /** Finds the programs for DNS and TCP in bubblewrap's sandboxes. */
  findTools?: OpenBubblewrapOptions['findTools']
  /** Forces one kind of limits where the machine would offer a better one. */
  limiter?: Limiter['kind']
}

export interface OpenedDriver {
  driver: SandboxDriver
  close(): Promise<void>
}

/** The requested driver, verified to work. First kills what a crashed server left running. */
export const openDriver = async (options: OpenDriverOptions): Promise<OpenedDriver> => {
  await endOrphans(options.home)
  const running = recordRunning(options.home)
  if (options.driver === 'none') {
    return { driver: createUnisolated(running), close: async () => running.close() }
  }
  if (options.driver === 'docker' || options.driver === 'gvisor') {
    const { driver: kind, image = DEFAULT_IMAGE } = options
    return closeWith(running, await openContainer({ kind, running, image }), async () => undefined)
  }
  const name = `steward-hosted-${running.name}`
  const limiter = await chooseLimiter({
    name,
    ...(options.limiter === undefined ? {} : { only: options.limiter }),
  })
  for (const folder of limiter.folders) running.addGroup(folder)
  const opened = await openBubblewrap({
    ...{ home: options.home, limiter, running },
    ...(options.findTools === undefined ? {} : { findTools: options.findTools }),
  })
  return closeWith(running, opened, () => limiter.close())
}

const DEFAULT_IMAGE = 'buildpack-deps:bookworm'

const closeWith = async (
  running: Running,
  opened: Result<SandboxDriver>,
  closeMore: () => Promise<void>,
): Promise<OpenedDriver> => {
  const close = async () => {
    await closeMore()
    running.close()
  }
  if (opened.ok) return { driver: opened.value, close }
  await close()
  const { code, details, message } = opened.error
  if (code !== 'sandbox_unavailable') throw opened.error
  const reason = typeof details.reason === 'string' ? details.reason : message
  throw new StewardError('hosted_isolation_missing', { reason }, opened.error)
}
