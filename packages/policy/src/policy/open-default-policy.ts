import { type CompileOptions, compilePolicy } from './compile-policy.ts'
import { DEFAULT_RULES } from './default-policy.ts'
import type { Policy } from './policy.ts'

const MISSING =
  'USER/SECURITY/PATTERNS.yaml is missing: the built-in policy is used. `steward security add` creates your own.'

/** Returns the built-in policy with a warning that it is in use. */
export const openDefaultPolicy = (
  place: Pick<CompileOptions, 'home' | 'dataHome' | 'protectedPaths' | 'shadow'>,
): Policy => compilePolicy(DEFAULT_RULES, { ...place, source: 'defaults', warnings: [MISSING] })
