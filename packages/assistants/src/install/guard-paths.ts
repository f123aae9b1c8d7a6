/** The daemon's guards that Claude Code asks by HTTP. */
export const GUARD_PATHS = {
  skill: '/hooks/skill-guard',
  agent: '/hooks/agent-guard',
  security: '/hooks/security-guard',
} as const
export type GuardName = keyof typeof GUARD_PATHS
