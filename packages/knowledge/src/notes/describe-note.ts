import type { KnowledgeNote } from '@steward/contract'
import type { NoteFile } from './files/read-note-file.ts'
import type { ArchiveIndex } from './index/archive-index.ts'
import { refTo } from './index/describe-archive.ts'
import { keyOf, type NotePlace } from './note-place.ts'
import { parseNote } from './parse-note.ts'

/** A complete note: its text, metadata, links and backlinks. */
export const describeNote = (
  index: ArchiveIndex,
  place: NotePlace,
  { text, etag, writtenMs }: NoteFile,
): KnowledgeNote => {
  const parsed = parseNote(text, place, writtenMs)
  const { title, type, quality, tags, created, updated, aliases, source, problems } = parsed
  return {
    ...place,
    title,
    type,
    quality,
    tags: [...tags],
    created,
    updated,
    content: text,
    etag,
    aliases: [...aliases],
    ...(source === undefined ? {} : { source }),
    links: parsed.targets.map((target) => {
      const found = index.resolve(target, place.domain)
      const type = Object.hasOwn(parsed.linkTypes, target) ? parsed.linkTypes[target] : undefined
      return {
        text: target,
        to: found === undefined ? null : refTo(found),
        ...(type === undefined ? {} : { type }),
      }
    }),
    backlinks: index.backlinksOf(keyOf(place)).map(refTo),
    problems: [...problems],
  }
}
