import { LADDER_STAGES, type LadderStage, nearestHint, StewardError } from '@steward/contract'

export const isLadderStage = (word: string): word is LadderStage =>
  Object.hasOwn(LADDER_STAGES, word)

/** In order, lowest first. */
export const LADDER_ORDER: readonly LadderStage[] = Object.keys(LADDER_STAGES).filter(isLadderStage)

/** Parses a stage: `ideas`, `idea`, `Ideas` or `ID`. */
export const parseLadderStage = (word: string): LadderStage => {
  const wanted = word.trim().toLowerCase()
  const found = LADDER_ORDER.find((stage) => wordsFor(stage).includes(wanted))
  if (found !== undefined) return found
  throw new StewardError('invalid_input', {
    subject: 'the ladder',
    reason: `${word} is not a stage${nearestHint(word, LADDER_ORDER)}; there are ${LADDER_ORDER.join(', ')}`,
    field: 'stage',
  })
}

/** The next stage; undefined after the last. */
export const nextLadderStage = (stage: LadderStage): LadderStage | undefined =>
  LADDER_ORDER[LADDER_ORDER.indexOf(stage) + 1]

const SINGULAR: Readonly<Record<LadderStage, string>> = {
  sources: 'source',
  ideas: 'idea',
  hypotheses: 'hypothesis',
  experiments: 'experiment',
  algorithms: 'algorithm',
  results: 'result',
}

const wordsFor = (stage: LadderStage): string[] => [
  stage,
  SINGULAR[stage],
  LADDER_STAGES[stage].prefix.toLowerCase(),
]
