import { type KnowledgeDomain, NOTE_SLUG, parseKnowledgeDomain } from '@steward/contract'

/** The location of a note: its domain's folder and its file name without `.md`. */
export interface NotePlace {
  domain: KnowledgeDomain
  slug: string
}

/** `Ideas/slug`: the key of a note across domains. */
export const keyOf = ({ domain, slug }: NotePlace): string => `${domain}/${slug}`

/** Relative to the archive. */
export const fileOf = (place: NotePlace): string => `${keyOf(place)}.md`

/** Parses `Ideas/slug` or `ideas/slug.md`. */
export const parseKey = (key: string): NotePlace | undefined => {
  const [word = '', slug = '', ...rest] = key.replace(/\.md$/i, '').split('/')
  const domain = parseKnowledgeDomain(word)
  if (domain === undefined || rest.length > 0 || !NOTE_SLUG.test(slug)) return undefined
  return { domain, slug }
}

/** Indexes kept by hand: shown as maps of content, not counted as notes. */
export const isMap = ({ slug }: Pick<NotePlace, 'slug'>): boolean => slug.startsWith('_')
