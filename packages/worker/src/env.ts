/**
 * What the platform hands a worker: secrets and variables as strings, bindings as objects, all by
 * name. Only `AUTH_TOKEN` is every worker's; the rest is looked up where it is needed and refused
 * with its name when it is not there.
 *
 * `LLM_*` choose the model. `LLM_BUDGET_PER_RUN_USD` caps what one call of an action may spend.
 * `ALLOW_PRIVATE_HOSTS` lists hosts (`host` or `host:port`, comma-separated) that `fetch` may reach
 * although they are private: the local edge sets it from `execution.fetch.allowPrivateHosts`.
 */
export interface WorkerEnv {
  AUTH_TOKEN?: string
  [name: string]: unknown
}

/** The value of a secret or variable; an empty one counts as not set. */
export const textIn = (env: WorkerEnv, name: string): string | undefined => {
  const value = env[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** All that is text, for readers of environments. */
export const textsIn = (env: WorkerEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    ),
  )
