/** The parts of a score, which explain a result's rank. */
const RANK_PARTS = ['exact title', 'title', 'tag', 'heading', 'text', 'recency', 'links'] as const
type RankPart = (typeof RANK_PARTS)[number]

export interface Reason {
  part: RankPart
  points: number
}

/** Match quality by field, in the database's measure. */
export interface TextFit {
  title: number
  tag: number
  heading: number
  text: number
}

/** A word in the title counts more than one in the text. */
export const WEIGHTS: TextFit = { title: 8, heading: 3, tag: 4, text: 1 }

const TEXT_POINTS = 10
const EXACT_POINTS = 5
const RECENCY_POINTS = 1
const RECENCY_HALF_LIFE_MS = 90 * 86_400_000
const LINK_POINTS = 1
const MANY_LINKS = 32

export interface Ranked {
  fit: TextFit
  exactTitle: boolean
  ageMs: number
  links: number
}

/**
 * The best match of a search; others are scored relative to it, so that scores do not depend on the
 * number of documents.
 */
export const bestFit = (fits: readonly TextFit[]): number =>
  fits.reduce((best, fit) => Math.max(best, sumOf(fit)), 0)

/** The parts of a score, largest first; their sum is the score. */
export const explainRank = ({ fit, exactTitle, ageMs, links }: Ranked, best: number): Reason[] => {
  const share = best === 0 ? 0 : TEXT_POINTS / best
  const reasons: Reason[] = [
    { part: 'exact title', points: exactTitle ? EXACT_POINTS : 0 },
    { part: 'title', points: fit.title * share },
    { part: 'tag', points: fit.tag * share },
    { part: 'heading', points: fit.heading * share },
    { part: 'text', points: fit.text * share },
    { part: 'recency', points: RECENCY_POINTS * 2 ** (-Math.max(0, ageMs) / RECENCY_HALF_LIFE_MS) },
    {
      part: 'links',
      points: LINK_POINTS * Math.min(1, Math.log(1 + links) / Math.log(1 + MANY_LINKS)),
    },
  ]
  return reasons
    .map(({ part, points }) => ({ part, points: round(points) }))
    .filter(({ points }) => points > 0)
    .toSorted((a, b) => b.points - a.points)
}

export const scoreOf = (reasons: readonly Reason[]): number =>
  round(reasons.reduce((sum, { points }) => sum + points, 0))

const sumOf = ({ title, tag, heading, text }: TextFit): number => title + tag + heading + text

const round = (points: number): number => Math.round(points * 1000) / 1000
