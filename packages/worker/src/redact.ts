import { textsIn, type WorkerEnv } from './env.ts'

/** Settings that people read in messages; everything else that is text is taken for a secret. */
const PLAIN = /^(LLM_PROVIDER|LLM_BASE_URL|LLM_MODEL_\w+|LLM_BUDGET_\w+|ALLOW_PRIVATE_HOSTS)$/
/** A shorter one would tear words apart, and is no secret worth the name. */
const MIN_CHARS = 6

const redactors = new WeakMap<WorkerEnv, (text: string) => string>()

/** Replaces every secret of the worker by its name: stands in front of logs, errors and records. */
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
