import fc from 'fast-check'

export type Kind = 'server' | 'brain'

/** Who is killed, and at which question of the model. */
export interface Kill {
  question: number
  kind: Kind
  /** Which of its kind. */
  place: number
}

export interface KillsWanted {
  /** How many there are of each kind. */
  running: Readonly<Record<Kind, number>>
  /** How many of each are killed. */
  kills: Readonly<Record<Kind, number>>
  /** The questions between which it happens. */
  between: readonly [first: number, last: number]
}

/**
 * The same kills for the same seed, in the order of their questions. Those of a kind are killed in turn,
 * from a drawn one on: of two brains one may have all the work, and killing the other shows nothing.
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
