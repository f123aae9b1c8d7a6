import type { PathTier } from '@steward/contract'
import { compilePath } from '../paths/compile-path.ts'
import type { PathRule } from './policy.ts'

/** Where the guard's own files are, as its caller knows. */
export interface ProtectedPlaces {
  /** The person's home directory. */
  home: string
  /** The data home, whose policy, hooks, settings and security log protect themselves. */
  dataHome: string
  /** More that no assistant may change: the hook program, the host files that start it. */
  protectedPaths?: readonly string[]
}

/** Places of the data home that no assistant may change, whatever the policy says. */
const PROTECTED: readonly [PathTier, string][] = [
  ['readOnly', 'USER/SECURITY'],
  ['readOnly', 'MEMORY/SECURITY'],
  ['readOnly', 'hooks'],
  ['readOnly', 'settings.json'],
  ['zeroAccess', 'token'],
  ['zeroAccess', '.env'],
]

/** The guard's own files: who can change them can switch it off. */
export const selfProtection = ({
  home,
  dataHome,
  protectedPaths = [],
}: ProtectedPlaces): PathRule[] => {
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

export const SELF_PROTECTION = 'builtin:self-protection'
