/** The tiers, best first, each with its minimum score. */
export const RATINGS = [
  { rating: 'S', from: 90, meaning: 'rare: changes how the reader thinks or works' },
  { rating: 'A', from: 70, meaning: 'well worth the time: new, substantial, well supported' },
  { rating: 'B', from: 50, meaning: 'useful if the topic is of interest' },
  { rating: 'C', from: 30, meaning: 'thin, familiar or loosely argued' },
  { rating: 'D', from: 1, meaning: 'noise: advertising, filler, rumour' },
] as const
export type Rating = (typeof RATINGS)[number]['rating']

/** The tier of a quality score from 1 to 100. */
export const ratingOf = (score: number): Rating =>
  RATINGS.find(({ from }) => score >= from)?.rating ?? 'D'
