import { type Match, matchPhrase } from './match-phrase.ts'
import { compilePhrase, type Phrase } from './phrase.ts'
import type { PlacedRule, Routing } from './routing.ts'
import type { Token } from './token.ts'

export interface CompiledRule {
  rule: PlacedRule
  when: readonly Phrase[]
  with: readonly Phrase[]
  unless: readonly Phrase[]
}

/** A table prepared for matching. */
export interface CompiledRouting {
  rules: readonly CompiledRule[]
  other: readonly Phrase[]
  tiers: { fast: readonly Phrase[]; standard: readonly Phrase[]; deep: readonly Phrase[] }
}

const compiled = new WeakMap<Routing, CompiledRouting>()

/** Compiles a table once and caches it. */
export const compileRouting = (routing: Routing): CompiledRouting => {
  const known = compiled.get(routing)
  if (known !== undefined) return known
  const phrasesOf = (texts: readonly string[]) =>
    texts.map((text) => compilePhrase(text, routing.words))
  const setOf = (name: string) =>
    phrasesOf(Object.hasOwn(routing.words, name) ? (routing.words[name] ?? []) : [])
  const made: CompiledRouting = {
    rules: routing.rules.map((rule) => ({
      rule,
      when: phrasesOf(rule.when),
      with: phrasesOf(rule.with),
      unless: phrasesOf(rule.unless),
    })),
    other: setOf('other'),
    tiers: { fast: setOf('fastTier'), standard: setOf('standardTier'), deep: setOf('deepTier') },
  }
  compiled.set(routing, made)
  return made
}

/** The first match of any of the phrases. */
export const matchFirst = (
  phrases: readonly Phrase[],
  tokens: readonly Token[],
): Match | undefined => {
  let first: Match | undefined
  for (const phrase of phrases) {
    const match = matchPhrase(phrase, tokens)
    if (match !== undefined && (first === undefined || match.start < first.start)) first = match
  }
  return first
}

/** Marks the words of phrases in which a trigger word means something else. */
export const markOthers = (tokens: readonly Token[], { other }: CompiledRouting): void => {
  for (const phrase of other) {
    // A phrase may occur several times; a marked position does not match again.
    for (let match = matchFirst([phrase], tokens); match; match = matchFirst([phrase], tokens)) {
      for (const token of tokens.slice(match.start, match.end)) token.isOther = true
    }
  }
}
