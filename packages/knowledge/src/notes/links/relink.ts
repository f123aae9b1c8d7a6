import { type KnowledgeDomain, NOTE_SLUG } from '@steward/contract'
import { keyOf, type NotePlace, parseKey } from '../note-place.ts'
import { findLinks, type NoteLink } from './find-links.ts'

/**
 * Rewrites links where `newPlace` returns another note; nothing else changes. `from` and `to` are
 * the note's domains before and after.
 */
export const relink = (
  text: string,
  { from, to }: { from: KnowledgeDomain; to: KnowledgeDomain },
  newPlace: (link: NoteLink) => NotePlace | undefined,
): string => {
  let relinked = ''
  let at = 0
  for (const link of findLinks(text, from)) {
    const place = newPlace(link)
    if (place === undefined) continue
    relinked += text.slice(at, link.start) + writeTarget(link, text, place, to)
    at = link.end
  }
  return relinked + text.slice(at)
}

/** A bare slug stays bare if it can only mean the own domain. */
const writeTarget = (
  link: NoteLink,
  text: string,
  place: NotePlace,
  to: KnowledgeDomain,
): string => {
  if (link.kind === 'markdown') {
    return place.domain === to ? `${place.slug}.md` : `../${keyOf(place)}.md`
  }
  const written = text.slice(link.start, link.end)
  const target = place.domain === to && !written.includes('/') ? place.slug : keyOf(place)
  // Keeps the visible words: `[[Some Title]]` becomes `[[slug|Some Title]]`.
  const isName = NOTE_SLUG.test(written.trim()) || parseKey(written.trim()) !== undefined
  return !isName && text.startsWith(']]', link.end) ? `${target}|${written.trim()}` : target
}
