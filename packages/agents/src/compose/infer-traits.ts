import { TRAIT_CATEGORIES, TRAITS, type TraitCategory } from '@steward/contract'
import { stem } from '../routing/stem.ts'
import type { TraitChoice } from './parse-traits.ts'
import { traitOf } from './trait-data.ts'

const DEFAULTS: Record<TraitCategory, string> = {
  expertise: 'research',
  personality: 'analytical',
  approach: 'thorough',
}

/**
 * The traits of a category by how well they match a task's words, best first; ties in the spec's
 * order.
 */
export const rankTraits = (category: TraitCategory, task: string): string[] => {
  const words = new Map<string, number>()
  for (const [word] of task.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    words.set(stem(word), (words.get(stem(word)) ?? 0) + 1)
  }
  const scoreOf = (name: string): number =>
    [...new Set(traitOf(category, name).keywords.map(stem))].reduce(
      (sum, keyword) => sum + (words.get(keyword) ?? 0),
      name === DEFAULTS[category] ? 0.5 : 0,
    )
  const scores = TRAITS[category].map((name) => ({ name, score: scoreOf(name) }))
  return scores.sort((a, b) => b.score - a.score).map(({ name }) => name)
}

/** Fills empty categories from the task's words; named categories stay unchanged. */
export const inferTraits = (
  chosen: TraitChoice,
  task: string,
): { choice: TraitChoice; inferred: string[] } => {
  const choice = { ...chosen }
  const inferred: string[] = []
  for (const category of TRAIT_CATEGORIES) {
    const [best] = rankTraits(category, task)
    if (choice[category].length > 0 || best === undefined) continue
    choice[category] = [best]
    inferred.push(best)
  }
  return { choice, inferred }
}
