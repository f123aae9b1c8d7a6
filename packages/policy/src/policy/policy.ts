import type { PathTier, PatternSection, SecurityPolicy } from '@steward/contract'
import type { PathPattern } from '../paths/compile-path.ts'
import type { CompiledPattern } from '../patterns/compile-pattern.ts'

export interface PatternRule extends CompiledPattern {
  section: PatternSection
  reason: string
  rule: string
  /** Only says what it would have done. */
  isShadow: boolean
}

export interface PathRule {
  tier: PathTier
  rule: string
  pattern: PathPattern
  /** Paths that the tier leaves out: entries with `!` in front. */
  isException: boolean
  isShadow: boolean
}

/** The rules that hold together. */
export interface RuleSet {
  patterns: Record<PatternSection, PatternRule[]>
  paths: PathRule[]
}

/** A policy ready to judge. */
export interface Policy extends RuleSet {
  source: 'file' | 'defaults'
  /** What a person should know about it. */
  warnings: string[]
  home: string
  definition: SecurityPolicy
  /** Further rules, for work in one directory. */
  projects: { directory: PathPattern; rules: RuleSet }[]
}
