import { type KnowledgeDomain, parseKnowledgeDomain, splitFrontMatter } from '@steward/contract'
import { readFields } from '../notes/frontmatter/read-fields.ts'
import { findInlineTags } from '../notes/inline-tags.ts'
import { parseNote, TYPE_OF_DOMAIN } from '../notes/parse-note.ts'
import type { FolderFile } from './walk-folder.ts'

/** What a note of the folder is about, before it has a place in the archive. */
export interface FolderNote {
  path: string
  domain: KnowledgeDomain
  title: string
  tags: readonly string[]
  aliases: readonly string[]
  created: string
  updated: string
  /** Set if its frontmatter cannot be read. */
  fault?: string
}

/** The name of a file without folder and extension: what `[[links]]` call it. */
export const baseNameOf = (path: string): string =>
  (path.split('/').at(-1) ?? path).replace(/\.(?:md|markdown)$/i, '')

/**
 * Reads title, tags and aliases. The domain is the note's `type`, else a folder named like a domain,
 * else `fallback`. Other folders become a tag, because the archive has no subfolders.
 */
export const describeFolderNote = (
  text: string,
  { path, writtenMs }: FolderFile,
  fallback: KnowledgeDomain,
): FolderNote => {
  const folders = path.split('/').slice(0, -1)
  const { head, bodyStart, fault: unclosed } = splitFrontMatter(text)
  const reading = head === undefined ? undefined : readFields(head.text)
  const fault = unclosed ?? reading?.fault
  const typed = reading?.fields.get('type')
  const named = folders.map(exactDomain).find((domain) => domain !== undefined)
  const domain = (typeof typed === 'string' ? domainOfType(typed) : undefined) ?? named ?? fallback
  const body = text.slice(bodyStart)
  const parsed = parseNote(text, { domain, slug: 'x' }, writtenMs)
  const base = baseNameOf(path)
  const title = readTitle(reading?.fields.get('title')) ?? firstHeading(body) ?? base
  const legacy = reading?.fields.get('tag') ?? reading?.fields.get('keywords')
  const extra = typeof legacy === 'string' ? legacy.split(/[,\s]+/) : (legacy ?? [])
  return {
    path,
    domain,
    title: title.slice(0, 200),
    tags: uniqueTags([
      ...parsed.tags,
      ...extra.map((tag) => tag.trim().replace(/^#+/, '')),
      ...findInlineTags(body),
      tagOfFolders(folders),
    ]),
    aliases: [...new Set([...parsed.aliases, ...(base === title ? [] : [base])])],
    created: parsed.created,
    updated: parsed.updated,
    ...(fault === undefined ? {} : { fault }),
  }
}

const exactDomain = (folder: string): KnowledgeDomain | undefined => {
  const domain = parseKnowledgeDomain(folder)
  return domain?.toLowerCase() === folder.toLowerCase() ? domain : undefined
}

const domainOfType = (type: string): KnowledgeDomain | undefined => {
  const word = type.trim().toLowerCase()
  for (const [name, own] of Object.entries(TYPE_OF_DOMAIN)) {
    const domain = parseKnowledgeDomain(name)
    if (word === own || word === name.toLowerCase()) return domain
  }
  return undefined
}

const readTitle = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.replaceAll(/\s+/g, ' ').trim() || undefined : undefined

/** A heading that is the first line of the text; a later one is part of it. */
const firstHeading = (body: string): string | undefined =>
  /^\s*# +([^\n]{1,300})/.exec(body.slice(0, 4096))?.[1]?.replace(/\s+#*\s*$/, '') || undefined

const tagOfFolders = (folders: readonly string[]): string =>
  folders
    .filter((folder) => exactDomain(folder) === undefined)
    .map((folder) => folder.normalize('NFC').replaceAll(/[^\p{L}\p{N}_-]+/gu, '-'))
    .map((folder) => folder.replaceAll(/^-+|-+$/g, ''))
    .filter((folder) => folder !== '')
    .join('/')

const MOST_TAGS = 50

const uniqueTags = (tags: readonly string[]): string[] => {
  const byName = new Map<string, string>()
  for (const tag of tags) {
    const folded = tag.toLowerCase()
    if (tag !== '' && tag.length <= 60 && !byName.has(folded)) byName.set(folded, tag)
  }
  return [...byName.values()].slice(0, MOST_TAGS)
}
