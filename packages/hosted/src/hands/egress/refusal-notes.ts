import type { EgressDecision } from './egress.ts'

/**
 * Collects what a session could not reach, for its model: a program only sees a reset connection or
 * an unknown name.
 */
export interface RefusalNotes {
  hear(decision: EgressDecision): void
  /** The notes since the last time, each once. */
  take(): string[]
}

const MAX_NOTES = 5

export const createRefusalNotes = (): RefusalNotes => {
  const notes = new Set<string>()
  let left = 0
  return {
    hear: (decision) => {
      // A plain HTTP response holds the reason.
      if (decision.way === 'http' || (decision.allowed && !decision.isUnreached)) return
      const note = describe(decision)
      if (notes.size < MAX_NOTES) notes.add(note)
      else if (!notes.has(note)) left += 1
    },
    take: () => {
      const taken = [...notes, ...(left === 0 ? [] : [`network: ${left} more refusals`])]
      notes.clear()
      left = 0
      return taken
    },
  }
}

const describe = ({ host, port, way, allowed, reason }: EgressDecision): string => {
  const what = way === 'name' ? `the name ${host}` : `${host}:${port}`
  return `network: ${what} ${allowed ? 'could not be reached' : 'was refused'}: ${reason}`
}
