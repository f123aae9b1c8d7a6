import { StewardError } from '@steward/contract'
import { isPlaceholderId } from '../build/resources.ts'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

/** What only the account can have and does not have yet, each with the command that makes it. */
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

/** Queues that workers send to, read from or leave dead letters in, with one that uses each. */
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

/** Buckets that workers write to, with one that uses each. */
export const bucketsOf = (workers: readonly WorkerToDeploy[]): Map<string, string> =>
  new Map(
    workers.flatMap(({ configuration }) =>
      configuration.r2_buckets.map(({ bucket_name: bucket }) => [bucket, configuration.name]),
    ),
  )

/** One error a binding name: the same namespace or database serves several workers. */
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
