import type { PathTier, PatternSection, SecurityPolicy } from '@steward/contract'
import type { PathPattern } from '../paths/compile-path.ts'
import type { CompiledPattern } from '../patterns/compile-pattern.ts'

export interface PatternRule extends CompiledPattern {
  section: PatternSection
  reason: string
  rule: string
  /** Records its verdict without enforcing it. */
  isShadow: boolean
}

export interface PathRule {
  tier: PathTier
  rule: string
  pattern: PathPattern
  /** Excludes paths from the tier: entries that start with `!`. */
  isException: boolean
  isShadow: boolean
}

/** Rules that apply together. */
export interface RuleSet {
  patterns: Record<PatternSection, PatternRule[]>
  paths: PathRule[]
}

/** A compiled policy. */
export interface Policy extends RuleSet {
  source: 'file' | 'defaults'
  /** Warnings for the person who maintains it. */
  warnings: string[]
  home: string
  definition: SecurityPolicy
  /** Additional rules for projects, by directory. */
  projects: { directory: PathPattern; rules: RuleSet }[]
}
