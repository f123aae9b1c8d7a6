import { fail, ok, type Result, StewardError } from '@steward/contract'
import type { Environment } from '@steward/memory'

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** Puts the environment's values in place of `${NAME}`; one that is missing or empty is named. */
export const fillVariables = (
  text: string,
  environment: Environment,
  subject: string,
): Result<string> => {
  const missing = new Set<string>()
  const filled = text.replace(VARIABLE, (_, name: string) => {
    const value = environment[name]
    if (!value) missing.add(name)
    return value ?? ''
  })
  if (missing.size === 0) return ok(filled)
  const reason = `${[...missing].join(', ')} is not set: put it into .env in the data home, or export it`
  return fail(new StewardError('not_configured', { subject, reason }))
}
