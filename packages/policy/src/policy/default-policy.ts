import type { SecurityPolicy } from '@steward/contract'
import { DEFAULT_PATHS } from './default-paths.ts'
import { DEFAULT_PATTERNS } from './default-patterns.ts'

/** The policy that applies if `USER/SECURITY/PATTERNS.yaml` does not exist. */
export const DEFAULT_RULES: SecurityPolicy = {
  version: '1.0',
  philosophy: {
    mode: 'watchful',
    principle: 'Work goes on undisturbed; what cannot be undone is refused or asked about.',
  },
  shadow: false,
  bash: {
    trusted: [...DEFAULT_PATTERNS.trusted],
    blocked: [...DEFAULT_PATTERNS.blocked],
    confirm: [...DEFAULT_PATTERNS.confirm],
    alert: [...DEFAULT_PATTERNS.alert],
  },
  paths: {
    zeroAccess: [...DEFAULT_PATHS.zeroAccess],
    alertAccess: [...DEFAULT_PATHS.alertAccess],
    confirmAccess: [...DEFAULT_PATHS.confirmAccess],
    readOnly: [...DEFAULT_PATHS.readOnly],
    confirmWrite: [...DEFAULT_PATHS.confirmWrite],
    noDelete: [...DEFAULT_PATHS.noDelete],
  },
  projects: {},
}
