import { fail, ok, type Result, StewardError } from '@steward/contract'
import type { Environment } from '@steward/memory'

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * Puts values in place of `${NAME}`: the environment's, which has the process's before those of `.env`.
 * A name without a value is an error that names it; half a header would be sent otherwise.
 */
export const expandVariables = (
  text: string,
  environment: Environment,
  subject: string,
): Result<string> => {
  const missing = new Set<string>()
  const expanded = text.replace(REFERENCE, (_, name: string) => {
    const value = environment[name]
    if (value === undefined) missing.add(name)
    return value ?? ''
  })
  if (missing.size === 0) return ok(expanded)
  const reason = `${[...missing].join(', ')} is not set; export it or put it into .env`
  return fail(new StewardError('not_configured', { subject, reason }))
}
