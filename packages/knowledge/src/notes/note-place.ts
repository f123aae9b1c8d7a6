import { type KnowledgeDomain, NOTE_SLUG, parseKnowledgeDomain } from '@steward/contract'

/** Where a note is: its domain's folder and its file's name without `.md`. */
export interface NotePlace {
  domain: KnowledgeDomain
  slug: string
}

/** `Ideas/slug`: what a note is called across domains. */
export const keyOf = ({ domain, slug }: NotePlace): string => `${domain}/${slug}`

/** Relative to the archive. */
export const fileOf = (place: NotePlace): string => `${keyOf(place)}.md`

/** The place that `Ideas/slug` or `ideas/slug.md` names. */
export const parseKey = (key: string): NotePlace | undefined => {
  const [word = '', slug = '', ...rest] = key.replace(/\.md$/i, '').split('/')
  const domain = parseKnowledgeDomain(word)
  if (domain === undefined || rest.length > 0 || !NOTE_SLUG.test(slug)) return undefined
  return { domain, slug }
}

/** Indexes that people keep by hand: shown as maps of content, not counted as notes. */
export const isMap = ({ slug }: Pick<NotePlace, 'slug'>): boolean => slug.startsWith('_')
