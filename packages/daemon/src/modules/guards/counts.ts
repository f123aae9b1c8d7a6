/** Calls and verdicts of the guards since the start. */
export interface GuardCounts {
  requests: number
  /** Bodies that were not a JSON object. */
  malformed: number
  skillGuard: { total: number; blocked: number; hinted: number; passed: number }
  agentGuard: { total: number; warned: number; passed: number }
  securityGuard: {
    total: number
    denied: number
    asked: number
    alerted: number
    passed: number
    halted: number
  }
}

export const createCounts = (): GuardCounts => ({
  requests: 0,
  malformed: 0,
  skillGuard: { total: 0, blocked: 0, hinted: 0, passed: 0 },
  agentGuard: { total: 0, warned: 0, passed: 0 },
  securityGuard: { total: 0, denied: 0, asked: 0, alerted: 0, passed: 0, halted: 0 },
})
