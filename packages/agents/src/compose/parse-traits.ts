import {
  fail,
  nearestName,
  ok,
  type Result,
  StewardError,
  TRAIT_CATEGORIES,
  TRAITS,
  type TraitCategory,
} from '@steward/contract'

/** Chosen traits by category, each list in the order of the spec. */
export type TraitChoice = Record<TraitCategory, string[]>

const includes = (category: TraitCategory, name: string): boolean =>
  TRAITS[category].some((each) => each === name)

const ALL: readonly string[] = [...new Set(TRAIT_CATEGORIES.flatMap((each) => [...TRAITS[each]]))]

/**
 * Parses `security, bold, rapid`. A trait of two categories (creative) goes to the one without
 * other named traits, and to both if that is not decisive; `expertise:creative` is explicit.
 */
export const parseTraits = (given: readonly string[]): Result<TraitChoice> => {
  const words = given
    .flatMap((each) => each.split(/[,;]+/))
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== '')
  const refuse = (reason: string) =>
    fail(new StewardError('invalid_input', { subject: 'traits', reason }))
  const chosen = {
    expertise: new Set<string>(),
    personality: new Set<string>(),
    approach: new Set<string>(),
  }
  const open = new Set<string>()
  const unknown: string[] = []
  for (const word of words) {
    const [before = '', name] = word.split(':', 2)
    const named = TRAIT_CATEGORIES.find((category) => category === before.trim())
    if (name !== undefined && named !== undefined && includes(named, name.trim())) {
      chosen[named].add(name.trim())
      continue
    }
    const homes = TRAIT_CATEGORIES.filter((category) => includes(category, word))
    const [home] = homes
    if (home === undefined) unknown.push(word)
    else if (homes.length > 1) open.add(word)
    else chosen[home].add(word)
  }
  if (unknown.length > 0) return refuse(unknown.map(explainUnknown).join('; '))
  for (const word of open) {
    const homes = TRAIT_CATEGORIES.filter((category) => includes(category, word))
    if (homes.some((category) => chosen[category].has(word))) continue
    const free = homes.filter((category) => chosen[category].size === 0)
    for (const category of free.length === 1 ? free : homes) chosen[category].add(word)
  }
  return ok({
    expertise: TRAITS.expertise.filter((name) => chosen.expertise.has(name)),
    personality: TRAITS.personality.filter((name) => chosen.personality.has(name)),
    approach: TRAITS.approach.filter((name) => chosen.approach.has(name)),
  })
}

const explainUnknown = (word: string): string => {
  const nearest = nearestName(word, ALL)
  const category = TRAIT_CATEGORIES.find((each) => word.startsWith(`${each}:`))
  if (category !== undefined) {
    return `${word} is not a trait; ${category} can be ${TRAITS[category].join(', ')}`
  }
  return nearest === undefined
    ? `${word} is not a trait; choose from ${ALL.join(', ')}`
    : `${word} is not a trait (did you mean ${nearest}?)`
}
