import { KNOWLEDGE_DOMAINS, type KnowledgeDomain } from './domains.ts'

export interface NoteAddress {
  domain: KnowledgeDomain
  slug: string
}

/** The note of a dashboard path: `/knowledge/Ideas/back-off`. */
export const readNoteAddress = (path: string): NoteAddress | undefined => {
  const [, , word = '', slug = '', ...rest] = path.split('/')
  const domain = KNOWLEDGE_DOMAINS.find((each) => each.toLowerCase() === word.toLowerCase())
  return domain === undefined || slug === '' || rest.length > 0 ? undefined : { domain, slug }
}

export const addressOf = ({ domain, slug }: { domain: string; slug: string }): string =>
  `/knowledge/${domain}/${slug}`
