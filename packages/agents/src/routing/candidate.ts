import type { AgentRoute, ModelTier, RouteChoice } from '@steward/contract'
import type { Match } from './match-phrase.ts'
import type { Reading } from './read-request.ts'

/** A matching rule, and its position in the request. */
export interface Candidate {
  level: number
  /** Position of its words; a rule without words comes first. */
  at: number
  choice: Omit<RouteChoice, 'tier'> & { tier: ModelTier | undefined }
  notes: readonly string[]
  deprecated: AgentRoute['deprecated']
}

/** The words of a match, as written. */
export const wordsOf = ({ tokens }: Reading, { start, end }: Match): string =>
  tokens
    .slice(start, end)
    .map(({ text }) => text)
    .join(' ')
