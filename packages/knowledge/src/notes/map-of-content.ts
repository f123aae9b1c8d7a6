import { KNOWLEDGE_DOMAINS } from '@steward/contract'
import type { ArchiveIndex, IndexedNote } from './index/archive-index.ts'
import { countTags, topLinked } from './index/describe-archive.ts'
import { keyOf } from './note-place.ts'

const LISTED = 50
const RECENT = 15

/** The archive as a page of links: most linked, recent, by domain, by tag. */
export const renderMap = (index: ArchiveIndex): string => {
  const notes = index.notes()
  const sections: [string, string[]][] = [
    ['Most linked', topLinked(index).map((note) => `${linkTo(note)} (${note.backlinks})`)],
    [
      'Recent',
      notes.slice(0, RECENT).map((note) => `${linkTo(note)} ${note.updated.slice(0, 10)}`),
    ],
    ...KNOWLEDGE_DOMAINS.map((domain): [string, string[]] => [
      domain,
      list(notes.filter((note) => note.domain === domain)),
    ]),
    [
      'Tags',
      countTags(notes)
        .slice(0, LISTED)
        .map(({ tag, count }) => `#${tag} (${count})`),
    ],
  ]
  const shown = sections.filter(([, lines]) => lines.length > 0)
  return `# Map of content\n${shown.map(renderSection).join('')}`
}

const renderSection = ([heading, lines]: [string, string[]]): string =>
  `\n## ${heading}\n\n${lines.map((line) => `- ${line}\n`).join('')}`

const list = (notes: readonly IndexedNote[]): string[] => {
  const byTitle = notes.toSorted((a, b) => a.title.localeCompare(b.title, 'en'))
  const shown = byTitle.slice(0, LISTED).map(linkTo)
  const left = notes.length - shown.length
  return left === 0 ? shown : [...shown, `and ${left} more`]
}

const linkTo = (note: Pick<IndexedNote, 'domain' | 'slug' | 'title'>): string =>
  `[[${keyOf(note)}|${note.title.replaceAll(/[[\]|\n]/g, ' ')}]]`
