import { tmpdir } from 'node:os'
import { nearestHint, StewardError, workerName } from '@steward/contract'
import { isPlaceholderId } from '../build/resources.ts'
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

/** Resources that do not exist in the account yet, each with the command that creates it. */
export const checkResources = (
  workers: readonly WorkerToDeploy[],
  there: { queues: ReadonlySet<string>; buckets: ReadonlySet<string> },
): StewardError[] => [
  ...missingIds(workers),
  ...[...queuesOf(workers)]
    .filter(([queue]) => !there.queues.has(queue))
    .map(([queue, worker]) => missing(worker, `the queue ${queue}`, `queues create ${queue}`)),
  ...[...bucketsOf(workers)]
    .filter(([bucket]) => !there.buckets.has(bucket))
    .map(([bucket, worker]) =>
      missing(worker, `the R2 bucket ${bucket}`, `r2 bucket create ${bucket}`),
    ),
]

/** Queues that workers send to, read from or use for dead letters, each with a worker that uses it. */
export const queuesOf = (workers: readonly WorkerToDeploy[]): Map<string, string> =>
  new Map(
    workers.flatMap(({ configuration: { name, queues } }) => [
      ...queues.producers.map(({ queue }) => [queue, name] as const),
      ...queues.consumers.flatMap(({ queue, dead_letter_queue: dead }) => [
        [queue, name] as const,
        ...(dead === undefined ? [] : [[dead, name] as const]),
      ]),
    ]),
  )

/** Buckets that workers write to, each with a worker that uses it. */
export const bucketsOf = (workers: readonly WorkerToDeploy[]): Map<string, string> =>
  new Map(
    workers.flatMap(({ configuration }) =>
      configuration.r2_buckets.map(({ bucket_name: bucket }) => [bucket, configuration.name]),
    ),
  )

/** One error per binding name, because several workers share a namespace or database. */
const missingIds = (workers: readonly WorkerToDeploy[]): StewardError[] => {
  const found = new Map<string, StewardError>()
  for (const { configuration } of workers) {
    const { name } = configuration
    for (const { binding, id } of configuration.kv_namespaces) {
      if (!isPlaceholderId(id)) continue
      const then = `edge.resources.kv.${binding}`
      found.set(
        then,
        missing(name, `the KV namespace ${binding}`, `kv namespace create ${binding}`, then),
      )
    }
    for (const database of configuration.d1_databases) {
      if (!isPlaceholderId(database.database_id)) continue
      const { binding, database_name: title } = database
      const then = `edge.resources.d1.${binding}`
      found.set(then, missing(name, `the database ${binding}`, `d1 create ${title}`, then))
    }
  }
  return [...found.values()]
}

const missing = (worker: string, what: string, command: string, setting?: string) => {
  const keep =
    setting === undefined
      ? ''
      : `, put the id it prints into ${setting} in settings.json, and run \`steward edge build\` again`
  const reason = `${what} does not exist yet: \`npx wrangler ${command}\`${keep}`
  return new StewardError('not_configured', { subject: worker, reason })
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
