/** The four kinds of the knowledge archive; each is a folder. A topic is a tag. Spec 3, Knowledge archive. */
export const KNOWLEDGE_DOMAINS = ['People', 'Companies', 'Ideas', 'Research'] as const
export type KnowledgeDomain = (typeof KNOWLEDGE_DOMAINS)[number]

const DOMAIN_BY_WORD: Readonly<Record<string, KnowledgeDomain>> = {
  people: 'People',
  person: 'People',
  companies: 'Companies',
  company: 'Companies',
  ideas: 'Ideas',
  idea: 'Ideas',
  research: 'Research',
}

/** The domain for a word: `ideas`, `Ideas`, `idea`. */
export const parseKnowledgeDomain = (word: string): KnowledgeDomain | undefined => {
  const wanted = word.trim().toLowerCase()
  return Object.hasOwn(DOMAIN_BY_WORD, wanted) ? DOMAIN_BY_WORD[wanted] : undefined
}
