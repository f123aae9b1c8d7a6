import type { PathTier, PatternSection, SecurityPolicy } from '@steward/contract'
import type { PathPattern } from '../paths/match-path.ts'
import type { CompiledPattern } from '../patterns/compile-pattern.ts'

export interface PatternRule extends CompiledPattern {
  reason: string
  rule: string
}

export interface PathRule {
  tier: PathTier
  rule: string
  pattern: PathPattern
  /** Paths that the tier leaves out: entries with `!` in front. */
  isException: boolean
}

/** A policy ready to judge. */
export interface Policy {
  source: 'file' | 'defaults'
  /** What a person should know about it. */
  warnings: string[]
  home: string
  definition: SecurityPolicy
  patterns: Record<PatternSection, PatternRule[]>
  paths: PathRule[]
}
