/**
 * The environment of a worker: secrets and variables as strings, bindings as objects, all by name.
 * Every worker has `AUTH_TOKEN`; the rest is looked up where it is needed, and reported by name if
 * it is missing.
 *
 * `LLM_*` select the model. `LLM_BUDGET_PER_RUN_USD` limits the spending of one action call.
 * `ALLOW_PRIVATE_HOSTS` lists private hosts (`host` or `host:port`, comma-separated) that `fetch`
 * may reach: the local edge sets it from `execution.fetch.allowPrivateHosts`.
 */
export interface WorkerEnv {
  AUTH_TOKEN?: string
  [name: string]: unknown
}

/** The value of a secret or variable; an empty one counts as unset. */
export const textIn = (env: WorkerEnv, name: string): string | undefined => {
  const value = env[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** All text values, for readers of environments. */
export const textsIn = (env: WorkerEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    ),
  )
