import { ok, type Result } from '@steward/contract'
import { type CompileOptions, compilePolicy } from './compile-policy.ts'
import { openDefaultPolicy } from './open-default-policy.ts'
import { parsePolicy } from './parse-policy.ts'
import type { Policy } from './policy.ts'

export interface PolicyPlace
  extends Pick<CompileOptions, 'home' | 'dataHome' | 'protectedPaths' | 'shadow'> {
  /** The text of `USER/SECURITY/PATTERNS.yaml`; undefined if there is no such file. */
  text: string | undefined
}

/**
 * Opens the policy file, or the built-in policy with a warning if there is no file. A broken file
 * is an error, never an empty policy.
 */
export const openPolicy = ({ text, ...place }: PolicyPlace): Result<Policy> => {
  if (text === undefined) return ok(openDefaultPolicy(place))
  const parsed = parsePolicy(text)
  if (!parsed.ok) return parsed
  const warnings = parsed.value.warnings.map(
    ({ line, key, message }) => `line ${line}: ${key}: ${message}`,
  )
  return ok(compilePolicy(parsed.value.policy, { ...place, source: 'file', warnings }))
}
