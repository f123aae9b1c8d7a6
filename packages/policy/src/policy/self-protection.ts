import type { PathTier } from '@steward/contract'
import { compilePath } from '../paths/match-path.ts'
import type { PathRule } from './policy.ts'

/** Places of the data home that no assistant may change, whatever the policy says. */
const PROTECTED: readonly [PathTier, string][] = [
  ['readOnly', 'USER/SECURITY'],
  ['noDelete', 'USER/SECURITY'],
  ['readOnly', 'MEMORY/SECURITY'],
  ['noDelete', 'MEMORY/SECURITY'],
  ['readOnly', 'hooks'],
  ['noDelete', 'hooks'],
  ['readOnly', 'settings.json'],
  ['noDelete', 'settings.json'],
  ['zeroAccess', 'token'],
  ['zeroAccess', '.env'],
]

/** The guard's own files: who can change them can switch it off. */
export const selfProtection = (dataHome: string, home: string): PathRule[] =>
  PROTECTED.map(([tier, path]) => ({
    tier,
    rule: `builtin:self-protection (${path})`,
    pattern: compilePath(`${dataHome}/${path}`, home),
    isException: false,
  }))
