import { createRedactor, type Redactor } from '@steward/platform/redaction'
import { textsIn, type WorkerEnv } from './env.ts'

/** Settings that may appear in messages; every other text value counts as a secret. */
const PLAIN = /^(LLM_PROVIDER|LLM_BASE_URL|LLM_MODEL_\w+|LLM_BUDGET_\w+|ALLOW_PRIVATE_HOSTS)$/
/** Replacing a shorter value would garble ordinary words. */
const MIN_CHARS = 6

const redactors = new WeakMap<WorkerEnv, Redactor>()

/** Masks the worker's secrets and all that looks like one: stands before logs, errors and records. */
export const redactorOf = (env: WorkerEnv): Redactor => {
  const made = redactors.get(env)
  if (made !== undefined) return made
  const secrets = Object.entries(textsIn(env)).filter(([name]) => !PLAIN.test(name))
  const redactor = createRedactor(Object.fromEntries(secrets), MIN_CHARS)
  redactors.set(env, redactor)
  return redactor
}
