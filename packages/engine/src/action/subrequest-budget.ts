import { LIMITS, StewardError } from '@steward/contract'

/** Counts a run's subrequests, because no local engine enforces the platform's limit. */
export interface SubrequestBudget {
  /** Uses one, or throws `subrequest_limit` if none is left. */
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
