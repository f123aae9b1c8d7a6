import { z } from 'zod'
import { matchesWildcards, parseWildcards } from '../wildcards.ts'

const name = z.string().min(1).max(256)

/** The setting `hosted.modelAliases`: which model replaces which; `*` stands for any text. */
export const modelAliases = z.record(name, name)
export type ModelAliases = z.infer<typeof modelAliases>

/**
 * The model that a name stands for. An exact alias wins over patterns, and the pattern with the most
 * characters over shorter ones. Replacements are not replaced again.
 */
export const resolveModelAlias = (aliases: ModelAliases, wanted: string): string => {
  if (Object.hasOwn(aliases, wanted)) return aliases[wanted] ?? wanted
  const [best] = Object.entries(aliases)
    .filter(([pattern]) => isPattern(pattern) && matches(pattern, wanted))
    .toSorted(([one], [other]) => other.length - one.length)
  return best?.[1] ?? wanted
}

/** The aliases that are names themselves, not patterns. */
export const listNamedAliases = (aliases: ModelAliases): readonly [string, string][] =>
  Object.entries(aliases).filter(([alias]) => !isPattern(alias))

const isPattern = (alias: string): boolean => alias.includes('*')

/** A question mark is a character of names here, not a wildcard. */
const matches = (pattern: string, text: string): boolean =>
  matchesWildcards(parseWildcards(pattern, '*', ''), text)
