import { StewardError } from '@steward/contract'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

/** Wrangler builds container images here and needs an engine for it; better said before the first upload. */
export const checkContainers = async (
  workers: readonly WorkerToDeploy[],
  hasContainerEngine: () => Promise<boolean>,
): Promise<StewardError[]> => {
  const names = workers
    .filter(({ configuration }) => configuration.containers.length > 0)
    .map(({ configuration }) => configuration.name)
  if (names.length === 0 || (await hasContainerEngine())) return []
  return [
    new StewardError('command_missing', {
      command: 'docker',
      reason: `${names.join(', ')} ${names.length === 1 ? 'runs' : 'run'} in a container, whose image wrangler builds with a running Docker; install and start it, or deploy the rest with --without-containers`,
    }),
  ]
}
