import type { RatingRow } from '@steward/contract'

interface RatingPoint {
  rating: number
  atMs: number
  /** 0 to 1 from the first to the last day shown. */
  x: number
  /** 0 to 1, 10 being 1. */
  y: number
  explicit: boolean
  comment: string
}

export interface RatingChart {
  points: RatingPoint[]
  fromMs: number
  toMs: number
  /** Of what is shown. */
  mean: number
}

/** Ratings on a time axis; undefined if there is nothing to draw. */
export const chartRatings = (ratings: readonly RatingRow[]): RatingChart | undefined => {
  const timed = ratings
    .map((row) => ({ row, atMs: Date.parse(row.timestamp) }))
    .filter(({ atMs }) => Number.isFinite(atMs))
    .sort((one, other) => one.atMs - other.atMs)
  const [first, last] = [timed[0], timed.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const length = Math.max(1, last.atMs - first.atMs)
  const points = timed.map(({ row, atMs }) => ({
    rating: row.rating,
    atMs,
    x: first === last ? 0.5 : (atMs - first.atMs) / length,
    y: (row.rating - 1) / 9,
    explicit: row.source !== 'implicit',
    comment: row.comment ?? row.sentiment_summary ?? '',
  }))
  const sum = points.reduce((total, { rating }) => total + rating, 0)
  return { points, fromMs: first.atMs, toMs: last.atMs, mean: sum / points.length }
}
