import {
  PATH_TIERS,
  PATTERN_SECTIONS,
  type PathTier,
  type PatternSection,
  type ProjectRules,
  type SecurityPolicy,
} from '@steward/contract'
import { compilePath } from '../paths/compile-path.ts'
import { compilePattern, findProblem } from '../patterns/compile-pattern.ts'
import type { PathRule, PatternRule, Policy, RuleSet } from './policy.ts'

export interface CompileOptions extends ProtectedPlaces {
  /** Puts every rule of the file in shadow, as a setting can request. */
  shadow?: boolean
  source?: Policy['source']
  warnings?: string[]
}

/**
 * Compiles rules that are parsed already. Needs no YAML library, because the hook program uses it.
 */
export const compilePolicy = (definition: SecurityPolicy, options: CompileOptions): Policy => {
  const { home, shadow = false, source = 'file', warnings = [] } = options
  const isShadow = shadowTest(shadow || definition.shadow)
  const own = compileRules(definition, home, '', isShadow)
  return {
    source,
    warnings,
    home,
    definition,
    patterns: own.patterns,
    paths: [...selfProtection(options), ...own.paths],
    projects: Object.entries(definition.projects).map(([name, rules]) => ({
      directory: compilePath(rules.path ?? name, home),
      rules: compileRules(rules, home, `projects.${name}.`, isShadow),
    })),
  }
}

type ShadowTest = (rule: string, section: string) => boolean

/** `shadow` lists sections (`paths.readOnly`) and rules (`paths.readOnly: /opt`), or covers all. */
const shadowTest = (shadow: SecurityPolicy['shadow']): ShadowTest => {
  if (typeof shadow === 'boolean') return () => shadow
  const named = new Set(shadow)
  return (rule, section) => named.has(rule) || named.has(section)
}

const compileRules = (
  { bash, paths }: Pick<ProjectRules, 'bash' | 'paths'>,
  home: string,
  prefix: string,
  isShadow: ShadowTest,
): RuleSet => {
  const compile = (section: PatternSection): PatternRule[] =>
    bash[section].map(({ pattern, reason, shadow }) => {
      const rule = `${prefix}bash.${section}: ${pattern}`
      // A whole command is trusted, not a word somewhere in it.
      const source =
        section === 'trusted' && findProblem(pattern) === undefined ? `^(?:${pattern})` : pattern
      return {
        ...compilePattern(source),
        section,
        reason,
        rule,
        isShadow: shadow === true || isShadow(rule, `${prefix}bash.${section}`),
      }
    })
  const [trusted = [], blocked = [], confirm = [], alert = []] = PATTERN_SECTIONS.map(compile)
  return {
    patterns: { trusted, blocked, confirm, alert },
    paths: PATH_TIERS.flatMap((tier): PathRule[] =>
      paths[tier].map((glob) => {
        const isException = glob.startsWith('!')
        const rule = `${prefix}paths.${tier}: ${glob}`
        const pattern = compilePath(isException ? glob.slice(1) : glob, home)
        return {
          tier,
          rule,
          pattern,
          isException,
          isShadow: isShadow(rule, `${prefix}paths.${tier}`),
        }
      }),
    ),
  }
}

/** The locations of the guard's own files, as the caller knows them. */
interface ProtectedPlaces {
  /** The person's home directory. */
  home: string
  /** The data home; its policy, hooks, settings and security log are protected. */
  dataHome: string
  /**
   * Further paths that no assistant may change: the hook program and the host files that start it.
   */
  protectedPaths?: readonly string[]
}

/** Paths in the data home that no assistant may change, regardless of the policy. */
const PROTECTED: readonly [PathTier, string][] = [
  ['readOnly', 'USER/SECURITY'],
  ['readOnly', 'MEMORY/SECURITY'],
  ['readOnly', 'hooks'],
  ['readOnly', 'settings.json'],
  ['zeroAccess', 'token'],
  ['zeroAccess', '.env'],
]

/** Protects the guard's own files, because changing them could switch it off. */
const selfProtection = ({ home, dataHome, protectedPaths = [] }: ProtectedPlaces): PathRule[] => {
  const protect = (tier: PathTier, name: string, path: string): PathRule => ({
    tier,
    rule: `${SELF_PROTECTION} (${name})`,
    pattern: compilePath(path, home),
    isException: false,
    isShadow: false,
  })
  return [
    ...PROTECTED.map(([tier, path]) => protect(tier, path, `${dataHome}/${path}`)),
    ...protectedPaths.map((path) => protect('readOnly', path, path)),
  ]
}

const SELF_PROTECTION = 'builtin:self-protection'
