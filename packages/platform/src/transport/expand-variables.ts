import { fail, ok, type Result, StewardError } from '@steward/contract'
import type { Environment } from '../home/environment.ts'

/** A text with its variables expanded, and their values by name. */
export interface Expanded {
  text: string
  used: Record<string, string>
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * Expands `${NAME}` from the environment (the process environment overrides the env file). A
 * missing or empty variable is an error, so that the text is never sent unexpanded.
 */
export const expandVariables = (
  text: string,
  environment: Environment,
  subject: string,
): Result<Expanded> => {
  const used: Record<string, string> = {}
  const missing = new Set<string>()
  const expanded = text.replace(VARIABLE, (_, name: string) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined
    if (!value) {
      missing.add(name)
      return ''
    }
    used[name] = value
    return value
  })
  if (missing.size === 0) return ok({ text: expanded, used })
  const names = [...missing].join(', ')
  const reason = `${names} is not set: put it into .env in the data home, or export it`
  return fail(new StewardError('not_configured', { subject, reason }))
}
