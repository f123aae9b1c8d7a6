import { KNOWLEDGE_DOMAINS, nearestHint } from '@steward/contract'
import type { ArchiveIndex, IndexedNote } from '../index/archive-index.ts'
import { fileOf, keyOf, type NotePlace } from '../note-place.ts'
import { slugify } from '../slugify.ts'
import type { Finding } from './findings.ts'

export interface BrokenLink {
  target: string
  /** The only possible target: the same slug in another domain. */
  meant?: NotePlace
}

/** Broken links of a note. */
export const findBrokenLinks = (index: ArchiveIndex, note: IndexedNote): BrokenLink[] =>
  note.targets
    .filter((target) => index.resolve(target, note.domain) === undefined)
    .map((target) => {
      const meant = meantBy(index, target)
      return meant === undefined ? { target } : { target, meant }
    })

const meantBy = (index: ArchiveIndex, target: string): NotePlace | undefined => {
  const slug = slugify(target.split('/').at(-1) ?? '')
  const found = KNOWLEDGE_DOMAINS.flatMap((domain) => index.get(`${domain}/${slug}`) ?? [])
  const [only] = found
  return only !== undefined && found.length === 1
    ? { domain: only.domain, slug: only.slug }
    : undefined
}

export const describeBrokenLinks = (
  index: ArchiveIndex,
  note: IndexedNote,
  slugs: readonly string[],
): Finding[] =>
  findBrokenLinks(index, note).map(({ target, meant }) => ({
    kind: 'broken-link',
    file: fileOf(note),
    message: `the link ${target} leads nowhere${meant === undefined ? hintFor(target, slugs) : ''}`,
    ...(meant === undefined ? {} : { fix: `link to ${keyOf(meant)}` }),
  }))

/** Comparing with ten thousand names is slow, and names of very different length are not typos. */
const hintFor = (target: string, slugs: readonly string[]): string => {
  const slug = slugify(target.split('/').at(-1) ?? '')
  return nearestHint(
    slug,
    slugs.filter((each) => Math.abs(each.length - slug.length) <= 2 && each[0] === slug[0]),
  )
}
