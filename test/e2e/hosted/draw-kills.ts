import fc from 'fast-check'

export type Kind = 'server' | 'brain'

/** The process to kill, and the model request at which to kill it. */
export interface Kill {
  question: number
  kind: Kind
  /** Its index among those of its kind. */
  place: number
}

export interface KillsWanted {
  /** The number of processes of each kind. */
  running: Readonly<Record<Kind, number>>
  /** The number of kills of each kind. */
  kills: Readonly<Record<Kind, number>>
  /** The range of model requests in which the kills happen. */
  between: readonly [first: number, last: number]
}

/**
 * Returns the same kills for the same seed, ordered by request. Processes of a kind are killed in
 * turn from a random one on, because one of two brains may have all the work, and killing the other
 * would test nothing.
 */
export const drawKills = (seed: number, { running, kills, between }: KillsWanted): Kill[] => {
  const kinds: Kind[] = [
    ...Array.from({ length: kills.server }, () => 'server' as const),
    ...Array.from({ length: kills.brain }, () => 'brain' as const),
  ]
  const all = { minLength: kinds.length, maxLength: kinds.length }
  const [min, max] = between
  const drawn = fc.record({
    questions: fc.uniqueArray(fc.integer({ min, max }), all),
    kinds: fc.shuffledSubarray(kinds, all),
    first: fc.record({ server: fc.nat(), brain: fc.nat() }),
  })
  const [sample] = fc.sample(drawn, { seed, numRuns: 1, unbiased: true })
  if (sample === undefined) throw new Error('nothing was drawn')
  const next = { ...sample.first }
  return sample.questions
    .toSorted((one, other) => one - other)
    .map((question, count) => {
      const kind = sample.kinds[count] ?? 'server'
      return { question, kind, place: next[kind]++ % running[kind] }
    })
}
