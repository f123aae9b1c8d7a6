import type { HandsReport } from '../hands.ts'
import { openBubblewrap } from './bubblewrap/open-bubblewrap.ts'
import { chooseLimiter } from './limits/choose-limiter.ts'
import type { Limiter } from './limits/limits.ts'
import { createUnisolated } from './none.ts'
import { endOrphans, recordRunning } from './running.ts'
import type { SandboxDriver } from './sandbox.ts'

export interface OpenDriverOptions {
  /** Steward's home; everything of sessions lies under `hosted` in it. */
  home: string
  /** `none` is no isolation, and must be asked for by name. */
  driver?: HandsReport['driver']
  /** Takes one kind of limits where the machine would offer a better one. */
  limiter?: Limiter['kind']
}

export interface OpenedDriver {
  driver: SandboxDriver
  close(): Promise<void>
}

/** What was asked for, seen to work. What a server that crashed left running is ended first. */
export const openDriver = async (options: OpenDriverOptions): Promise<OpenedDriver> => {
  await endOrphans(options.home)
  const running = recordRunning(options.home)
  if (options.driver === 'none') {
    return { driver: createUnisolated(running), close: async () => running.close() }
  }
  const name = `steward-hosted-${running.name}`
  const limiter = await chooseLimiter({
    name,
    ...(options.limiter === undefined ? {} : { only: options.limiter }),
  })
  for (const folder of limiter.folders) running.addGroup(folder)
  const opened = await openBubblewrap({ home: options.home, limiter, running })
  if (!opened.ok) {
    await limiter.close()
    running.close()
    throw opened.error
  }
  const driver = opened.value
  return {
    driver,
    close: async () => {
      await driver.close()
      await limiter.close()
      running.close()
    },
  }
}
