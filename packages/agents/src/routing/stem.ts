/**
 * The common stem of a word's forms: `agents` and `agent`, `specialised` and `specialize`. Not
 * necessarily a word.
 */
export const stem = (word: string): string => {
  const known = IRREGULAR.get(word)
  if (known !== undefined) return stem(known)
  if (word.length < 4 || KEPT.has(word)) return word
  return dropE(unifySpelling(dropEnding(word)))
}

const IRREGULAR = new Map([
  ['wrote', 'write'],
  ['written', 'write'],
  ['built', 'build'],
  ['ran', 'run'],
  ['found', 'find'],
  ['sought', 'seek'],
  ['dug', 'dig'],
  ['spun', 'spin'],
  ['threw', 'throw'],
  ['thrown', 'throw'],
  ['broken', 'break'],
  ['broke', 'break'],
  ['kept', 'keep'],
  ['analyses', 'analysis'],
])

/** These look like plurals but are not. */
const KEPT = new Set(['customs', 'news', 'series', 'always', 'https'])

const dropEnding = (word: string): string => {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2)
  if (/[^su]s$/.test(word) && !/(is|us)$/.test(word)) return word.slice(0, -1)
  const base = word.replace(/(?:ing|ed)$/, '')
  if (base === word || base.length < 3 || !/[aeiouy]/.test(base)) return word
  return /([bdgklmnprt])\1$/.test(base) ? base.slice(0, -1) : base
}

const unifySpelling = (word: string): string =>
  word
    .replace(/is(e?)$/, 'iz$1')
    .replace(/our$/, 'or')
    .replace(/centre$/, 'center')

const dropE = (word: string): string => (word.length > 3 ? word.replace(/e$/, '') : word)
