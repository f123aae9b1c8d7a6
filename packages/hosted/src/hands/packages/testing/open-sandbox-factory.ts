import { DEFAULT_LIMITS } from '../../sandbox/limits/limits.ts'
import { openDriver } from '../../sandbox/open-driver.ts'
import type { SandboxFactory } from '../../surroundings.ts'

/** Real sandboxes without the sessions around them. */
export const openSandboxFactory = async (
  home: string,
): Promise<{ factory: SandboxFactory; close(): Promise<void> }> => {
  const { driver, close } = await openDriver({ home })
  const factory: SandboxFactory = {
    driver: driver.report.driver,
    network: driver.report.network,
    provision: (spec) => driver.provision(spec, DEFAULT_LIMITS),
    watchDisk: () => ({ stop: () => undefined }),
  }
  return { factory, close }
}
