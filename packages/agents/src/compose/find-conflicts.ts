import type { TraitChoice } from './parse-traits.ts'

export interface Conflict {
  traits: readonly [string, string]
  /** Opposites cannot both be followed; a tension is only reported. */
  isOpposite: boolean
  why: string
}

const CONFLICTS: readonly Conflict[] = [
  {
    traits: ['bold', 'cautious'],
    isOpposite: true,
    why: 'one commits to the large step, the other avoids what cannot be undone; take one, or two agents and let them argue',
  },
  {
    traits: ['rapid', 'thorough'],
    isOpposite: true,
    why: 'one stops at the first sufficient answer, the other covers the whole ground; take one, or pragmatic with systematic for something between',
  },
  {
    traits: ['adversarial', 'consultative'],
    isOpposite: true,
    why: 'one attacks the work, the other works it out with its author; take one, or two agents one after the other',
  },
  {
    traits: ['skeptical', 'enthusiastic'],
    isOpposite: false,
    why: 'enthusiasm comes only after the evidence does; analytical with enthusiastic is easier to live with',
  },
  {
    traits: ['rapid', 'meticulous'],
    isOpposite: false,
    why: 'little is looked at, but that little is exact; pragmatic goes better with rapid',
  },
  {
    traits: ['exploratory', 'systematic'],
    isOpposite: false,
    why: 'the search is free, the record of it is not',
  },
  {
    traits: ['contrarian', 'empathetic'],
    isOpposite: false,
    why: 'the argument is hard, the tone is not',
  },
]

/** Conflicting traits, opposites first. */
export const findConflicts = ({ expertise, personality, approach }: TraitChoice): Conflict[] => {
  const names = new Set([...expertise, ...personality, ...approach])
  return CONFLICTS.filter(({ traits }) => traits.every((trait) => names.has(trait)))
}

export const describeConflict = ({ traits: [one, other], isOpposite, why }: Conflict): string =>
  `${one} and ${other} ${isOpposite ? 'contradict each other' : 'pull against each other'}: ${why}`
