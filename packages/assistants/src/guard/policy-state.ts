import { type BigIntStats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from '@steward/platform'
import type { Policy } from '@steward/policy'

/** The active policy, and the problem of the person's file if it is not used. */
export interface PolicyState {
  policy: Policy
  /** The file is missing or broken, so the built-in policy is used. */
  problem?: { kind: 'missing' | 'broken'; text: string }
}

export const policyPath = (home: Pick<Home, 'user'>): string =>
  join(home.user.security, 'PATTERNS.yaml')

/** Changes with the text; undefined if there is no file. */
export const stampOf = (path: string): string | undefined => {
  const found: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return undefined
  return [found.mtimeNs, found.ctimeNs, found.size, found.ino].join(':')
}

export const MISSING = {
  kind: 'missing',
  text: 'USER/SECURITY/PATTERNS.yaml is missing: the built-in policy is used',
} as const

export const describeBroken = (reason: string) =>
  ({
    kind: 'broken',
    text: `USER/SECURITY/PATTERNS.yaml cannot be used, the built-in policy is used instead: ${reason}`,
  }) as const
