import type { Host } from './host.ts'
import type { HostPorts } from './host-options.ts'
import type { WorkerDirectory } from './worker-directory.ts'

/** Starts workerd. Its driver is large, and loaded here so that who starts none need not wait for it. */
export const startHost = async (
  directories: readonly WorkerDirectory[],
  ports: HostPorts,
): Promise<Host> => {
  const { startWorkerd } = await import('./start-workerd.ts')
  return startWorkerd(directories, ports)
}
