import type { Material } from './material.ts'
import { isAcronym, isTelling, splitWords, stem } from './words.ts'

interface Term {
  stems: string
  forms: Map<string, number>
  count: number
  words: number
  named: number
}

/** A short text repeats nothing; in longer ones a word used once is incidental. */
const BRIEF = 5

/** The words and word pairs a text is about, best first, as written in the text. */
export const findKeyTerms = (material: Material): string[] => {
  const terms = new Map<string, Term>()
  const titleStems = new Set(splitWords(material.title).map(stem))
  for (const text of [material.title, ...material.headings, ...material.sentences]) {
    collect(text, terms)
  }
  const onTitle = (term: Term) => term.stems.split(' ').some((part) => titleStems.has(part))
  const brief = material.sentences.length < BRIEF
  const scored = [...terms.values()]
    .filter((term) => term.count > 1 || (term.words === 1 && (brief || onTitle(term))))
    .map((term) => {
      const named = 1 + term.named / term.count
      const pair = term.words === 2 ? 1.8 : 1
      return { term, score: term.count * named * pair * (onTitle(term) ? 1.6 : 1) }
    })
    .sort((a, b) => b.score - a.score || (a.term.stems < b.term.stems ? -1 : 1))

  const covered = new Set<string>()
  const chosen: string[] = []
  for (const { term } of scored) {
    const parts = term.stems.split(' ')
    // "prompt caching" already covers "caching".
    if (parts.some((part) => covered.has(part))) continue
    for (const part of parts) covered.add(part)
    chosen.push(commonest(term.forms))
  }
  return chosen
}

const collect = (text: string, terms: Map<string, Term>): void => {
  const words = splitWords(text)
  words.forEach((word, index) => {
    if (!isTelling(word)) return
    add(terms, [word], index)
    const next = words[index + 1]
    if (next !== undefined && isTelling(next) && text.includes(`${word} ${next}`)) {
      add(terms, [word, next], index)
    }
  })
}

const add = (terms: Map<string, Term>, words: string[], index: number): void => {
  const stems = words.map(stem).join(' ')
  const term = terms.get(stems) ?? {
    stems,
    forms: new Map(),
    count: 0,
    words: words.length,
    named: 0,
  }
  const named = words.every((word) => isAcronym(word) || (index > 0 && /^\p{Lu}/u.test(word)))
  const form = words.map((word) => (named || isAcronym(word) ? word : word.toLowerCase())).join(' ')
  term.count += 1
  term.named += named ? 1 : 0
  term.forms.set(form, (term.forms.get(form) ?? 0) + 1)
  terms.set(stems, term)
}

const commonest = (forms: ReadonlyMap<string, number>): string =>
  [...forms].reduce((best, form) => (form[1] > best[1] ? form : best))[0]
