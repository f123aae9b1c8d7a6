import { textsIn, type WorkerEnv } from './env.ts'

/** Settings that may appear in messages; every other text value counts as a secret. */
const PLAIN = /^(LLM_PROVIDER|LLM_BASE_URL|LLM_MODEL_\w+|LLM_BUDGET_\w+|ALLOW_PRIVATE_HOSTS)$/
/** Replacing a shorter value would garble ordinary words. */
const MIN_CHARS = 6

const redactors = new WeakMap<WorkerEnv, (text: string) => string>()

/** Replaces every secret of the worker with its name, in logs, errors and records. */
export const redactorOf = (env: WorkerEnv): ((text: string) => string) => {
  const made = redactors.get(env)
  if (made !== undefined) return made
  const secrets = Object.entries(textsIn(env))
    .filter(([name, value]) => !PLAIN.test(name) && value.length >= MIN_CHARS)
    .toSorted(([, a], [, b]) => b.length - a.length)
  const redact = (text: string): string =>
    secrets.reduce((rest, [name, value]) => rest.replaceAll(value, `[${name}]`), text)
  redactors.set(env, redact)
  return redact
}
