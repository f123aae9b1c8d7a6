import { tmpdir } from 'node:os'
import { nearestHint, StewardError, workerName } from '@steward/contract'
import { runChildProcess } from './run-child-process.ts'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

/**
 * Spec 1, Errors: if the configured name differs from the deployed one, callers get a 404.
 * The directory, the configuration, the definition and the last deploy of the directory must agree.
 */
export const checkNames = (
  { short, directory, configuration, facts }: WorkerToDeploy,
  deployedAs: string | undefined,
): StewardError[] => {
  const expected = `exec-${short}`
  const differing = [
    ...(configuration.name === expected ? [] : [`wrangler.jsonc names it ${configuration.name}`]),
    ...(workerName(facts.name) === expected ? [] : [`steward.json says it is ${facts.name}`]),
    ...(deployedAs === undefined || deployedAs === expected
      ? []
      : [`it was deployed as ${deployedAs}`]),
  ]
  if (differing.length === 0) return []
  const reason = `worker name mismatch: the directory is ${short}, so the worker is ${expected}, but ${differing.join(' and ')}; callers would get worker not found (404). Build it again with \`steward edge build\``
  return [new StewardError('invalid_definition', { file: directory, reason })]
}

/** Spec 1, Errors: the target of a service binding must be deployed already or be part of the same deploy. */
export const checkTargets = (
  workers: readonly WorkerToDeploy[],
  deployed: ReadonlySet<string>,
): StewardError[] => {
  const known = new Set([...deployed, ...workers.map(({ configuration }) => configuration.name)])
  return workers.flatMap(({ configuration: { name, services } }) =>
    services
      .filter(({ service }) => !known.has(service))
      .map(({ binding, service }) => {
        const add = `deploy ${service.replace(/^exec-/, '')} first, or together with it`
        const reason = `${name} binds ${binding} to ${service}, which is not deployed${nearestHint(service, known)}: ${add}`
        return new StewardError('binding_missing', { reason, worker: name, target: service })
      }),
  )
}

/** Wrangler builds container images on this machine, so a missing engine is reported before the first upload. */
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

/** Whether the engine with which wrangler builds images is installed and running. */
export const hasContainerEngine = async ({
  env,
  signal,
}: {
  env: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
}): Promise<boolean> => {
  try {
    const { code } = await runChildProcess({
      program: env.WRANGLER_DOCKER_BIN || 'docker',
      args: ['info'],
      cwd: tmpdir(),
      env: Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
      signal,
    })
    return code === 0
  } catch (thrown) {
    if (thrown instanceof StewardError && thrown.code === 'command_missing') return false
    throw thrown
  }
}
