/** A key term of a text and its weight. */
export interface KeyTerm {
  /** The most frequent form in the text. */
  word: string
  stem: string
  weight: number
}

const MIN_LETTERS = 4
const COMMON = new Set(
  `about above after again against almost along already also although always among another because
  been before being below between both came come could does doing done down during each either else
  enough even ever every first from further gave give given goes going good great have having here
  however into itself just keep kept know known large last later least less like likely little long
  look made make makes making many matter maybe mean means might more most much must near need needs
  never next none nothing often once only onto other others over part people perhaps place quite
  rather really right same seem seems several shall should show shown side since small some
  something sometimes soon still such take taken takes than that their them then there therefore
  these they thing things think this those though three through thus time times together told
  too took toward under until upon used uses using usually very want well went were what when where
  whether which while whole whose will with within without work would year years your yours
  cannot different across around became become becomes without rest half turn turns`.split(/\s+/),
)

/** The `count` most frequent terms of a text; ties by first appearance. */
export const findKeyTerms = (text: string, count: number): KeyTerm[] => {
  const found = new Map<string, { forms: Map<string, number>; weight: number }>()
  for (const word of wordsOf(text)) {
    if (word.length < MIN_LETTERS || COMMON.has(word)) continue
    const stem = stemOf(word)
    const entry = found.get(stem) ?? { forms: new Map(), weight: 0 }
    entry.weight += 1
    entry.forms.set(word, (entry.forms.get(word) ?? 0) + 1)
    found.set(stem, entry)
  }
  return [...found]
    .map(([stem, { forms, weight }]) => ({ stem, weight, word: mostUsed(forms) }))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, count)
}

/** The stems in a text, for checking which terms it covers. */
export const stemsIn = (text: string): Set<string> => new Set(wordsOf(text).map(stemOf))

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}[\p{L}\p{N}-]*/gu) ?? []

/** Simple stemming for plurals and simple verb forms. */
const stemOf = (word: string): string => {
  const base = word.replace(/(?:ies|ied)$/, 'y').replace(/(?<=\p{L}{3})(?:ing|ed|es|s|e)$/u, '')
  return base.replace(/([^aeiouls])\1$/u, '$1')
}

const mostUsed = (forms: Map<string, number>): string =>
  [...forms].reduce((best, form) => (form[1] > best[1] ? form : best))[0]
