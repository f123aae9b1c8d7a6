import { LIMITS, StewardError } from '@steward/contract'

/** Counts what leaves a run. No local engine enforces the platform's limit, so we do. */
export interface SubrequestBudget {
  /** Takes one, or throws `subrequest_limit` when none is left. */
  spend: () => void
  used: () => number
}

export const createSubrequestBudget = (
  limit: number = LIMITS.subrequestsPerRun,
): SubrequestBudget => {
  let used = 0
  return {
    spend: () => {
      if (used >= limit) throw new StewardError('subrequest_limit', { limit })
      used += 1
    },
    used: () => used,
  }
}
