import type { WorkerDirectory } from './worker-directory.ts'

/** The workers with a binding to KV, D1 or R2, and those that reach one through their bindings. */
export const findStorageUsers = (directories: readonly WorkerDirectory[]): ReadonlySet<string> => {
  const users = new Set(directories.filter(hasStorage).map(({ worker }) => worker))
  // Each round adds workers that bind to those found in the round before.
  for (let before = -1; before !== users.size; ) {
    before = users.size
    for (const { worker, configuration } of directories) {
      if (configuration.services.some(({ service }) => users.has(service))) users.add(worker)
    }
  }
  return users
}

const hasStorage = ({ configuration }: WorkerDirectory): boolean =>
  [configuration.kv_namespaces, configuration.d1_databases, configuration.r2_buckets].some(
    (bound) => bound.length > 0,
  )
