import {
  ok,
  PATH_TIERS,
  PATTERN_SECTIONS,
  type PatternSection,
  type Result,
  type SecurityPolicy,
} from '@steward/contract'
import { compilePath } from '../paths/match-path.ts'
import { compilePattern, findProblem } from '../patterns/compile-pattern.ts'
import { DEFAULT_POLICY } from './default-policy.ts'
import { parsePolicy } from './parse-policy.ts'
import type { PathRule, PatternRule, Policy } from './policy.ts'
import { selfProtection } from './self-protection.ts'

export interface PolicyPlace {
  /** The text of `USER/SECURITY/PATTERNS.yaml`; nothing when there is no such file. */
  text: string | undefined
  /** The person's home directory. */
  home: string
  /** The data home, whose policy, hooks and security log protect themselves. */
  dataHome: string
}

/** Opens the policy file, or the built-in one with a warning when there is none. A broken file is an error, never an empty policy. */
export const openPolicy = ({ text, home, dataHome }: PolicyPlace): Result<Policy> => {
  const parsed = parsePolicy(text ?? DEFAULT_POLICY)
  if (!parsed.ok) return parsed
  const { policy, warnings } = parsed.value
  const missing =
    'USER/SECURITY/PATTERNS.yaml is missing: the built-in policy is used. Write the file to have your own.'
  return ok({
    source: text === undefined ? 'defaults' : 'file',
    warnings: [
      ...(text === undefined ? [missing] : []),
      ...warnings.map(({ line, key, message }) => `line ${line}: ${key}: ${message}`),
    ],
    home,
    definition: policy,
    patterns: compilePatterns(policy),
    paths: [...selfProtection(dataHome, home), ...compilePaths(policy, home)],
  })
}

const compilePatterns = (policy: SecurityPolicy): Policy['patterns'] => {
  const compile = (section: PatternSection): PatternRule[] =>
    policy.bash[section].map(({ pattern, reason }) => ({
      // Trust is given to a command, not to a word somewhere in it.
      ...compilePattern(
        section === 'trusted' && findProblem(pattern) === undefined ? `^(?:${pattern})` : pattern,
      ),
      reason,
      rule: `bash.${section}: ${pattern}`,
    }))
  const [trusted, blocked, confirm, alert] = PATTERN_SECTIONS.map(compile)
  return {
    trusted: trusted ?? [],
    blocked: blocked ?? [],
    confirm: confirm ?? [],
    alert: alert ?? [],
  }
}

const compilePaths = (policy: SecurityPolicy, home: string): PathRule[] =>
  PATH_TIERS.flatMap((tier) =>
    policy.paths[tier].map((glob) => {
      const isException = glob.startsWith('!')
      const pattern = compilePath(isException ? glob.slice(1) : glob, home)
      return { tier, rule: `paths.${tier}: ${glob}`, pattern, isException }
    }),
  )
