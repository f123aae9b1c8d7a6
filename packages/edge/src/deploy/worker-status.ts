import { nearestHint, StewardError, type WorkerKind } from '@steward/contract'
import { type ListedWorker, listWorkers } from './list-workers.ts'
import type { PlatformApi } from './platform-api.ts'
import { readSecretStatus } from './secrets.ts'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

export interface WorkerStatus extends ListedWorker {
  version: string | null
  deployedAt: string | null
  deployedBy: string | null
  crons: string[]
  bindings: { name: string; type: string; target: string | null }[]
  secrets: { set: string[]; missing: string[] }
  /** Reasons why it does not work, worded as in the spec's error table. */
  problems: string[]
}

/** The status of one deployed worker, from API queries; local directories only add expectations. */
export const readWorkerStatus = async (
  api: PlatformApi,
  worker: string,
  directories: readonly WorkerToDeploy[],
): Promise<WorkerStatus> => {
  const all = await listWorkers(api)
  const names = all.map(({ worker: name }) => name)
  const listed = all.find(({ worker: name }) => name === worker)
  if (listed === undefined) {
    throw new StewardError('worker_not_found', { worker: `${worker}${nearestHint(worker, names)}` })
  }
  const [deployment] = await api.listDeployments(worker)
  const crons = await api.listCrons(worker)
  const bindings = await api.listBindings(worker)
  const [secrets] = await readSecretStatus(api, directories, [worker])
  const expected = directories.find(({ configuration }) => configuration.name === worker)
  const missing = secrets?.missing ?? []
  const lost = bindings.filter(
    ({ type, service }) => type === 'service' && service !== undefined && !names.includes(service),
  )
  return {
    ...listed,
    version: deployment?.versions[0]?.version_id ?? null,
    deployedAt: deployment?.created_on ?? null,
    deployedBy: deployment?.author_email ?? null,
    crons,
    bindings: bindings.map(({ name, type, service }) => ({ name, type, target: service ?? null })),
    secrets: { set: secrets?.set ?? [], missing },
    problems: [
      ...missing.map((name) => describeMissingSecret(worker, name)),
      ...lost.map(
        ({ name, service }) =>
          `binding error: ${name} leads to ${service}, which is not deployed; deploy target workers before the workers that bind to them`,
      ),
      ...diagnoseCron({
        primitive: listed.primitive,
        handlers: listed.handlers,
        crons,
        expected: expected?.configuration.triggers.crons,
      }),
    ],
  }
}

const describeMissingSecret = (worker: string, name: string): string =>
  name === 'AUTH_TOKEN'
    ? 'AUTH_TOKEN is not set: every call is 401 unauthorized; set it with `steward secrets generate`'
    : `${name} is not set: \`steward secrets set ${name} --worker ${worker.replace(/^exec-/, '')}\``

export interface CronFacts {
  primitive: WorkerKind
  handlers: readonly string[]
  /** The triggers on the platform. */
  crons: readonly string[]
  /** The triggers in the worker's configuration, if it is available. */
  expected?: readonly string[] | undefined
}

/** Spec 1, Errors, cron not firing: the syntax, the scheduled handler, the trigger settings. */
export const diagnoseCron = ({ primitive, handlers, crons, expected }: CronFacts): string[] => {
  if (primitive !== 'flow') return []
  const scheduled = handlers.length === 0 || handlers.includes('scheduled')
  return [
    ...(crons.length > 0 && !scheduled
      ? ['cron not firing: the scheduled handler is not exported; build and deploy the flow again']
      : []),
    ...(expected !== undefined && !sameSet(expected, crons)
      ? [
          `cron not firing as configured: the trigger settings are ${show(crons)}, the configuration says ${show(expected)}; deploy the flow again`,
        ]
      : []),
  ]
}

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.toSorted().join('\n') === b.toSorted().join('\n')

const show = (crons: readonly string[]): string =>
  crons.length === 0 ? 'none' : crons.map((cron) => `"${cron}"`).join(', ')
