import { DEFAULT_LIMITS } from '../../sandbox/limits/limits.ts'
import { openDriver } from '../../sandbox/open-driver.ts'
import type { Workshop } from '../../surroundings.ts'

/** Real sandboxes without the sessions around them. */
export const openWorkshop = async (
  home: string,
): Promise<{ workshop: Workshop; close(): Promise<void> }> => {
  const { driver, close } = await openDriver({ home })
  const workshop: Workshop = {
    driver: driver.report.driver,
    provision: (spec) => driver.provision(spec, DEFAULT_LIMITS),
    watchDisk: () => ({ stop: () => undefined }),
  }
  return { workshop, close }
}
