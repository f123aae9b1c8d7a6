import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type KnowledgeDomain, NOTE_SLUG, toStewardError } from '@steward/contract'
import { isMissing } from '@steward/platform'
import { slugify } from '../slugify.ts'
import { checkFolder } from './read-note-file.ts'

export interface NoteFiles {
  slugs: string[]
  /** Files that look like notes and cannot be addressed as such. */
  strange: { name: string; reason: string; kind: 'name' | 'file' }[]
  fault?: string
}

/** The notes of a domain by their names alone. Drafts, hidden files and a README are none. */
export const listNoteFiles = (root: string, domain: KnowledgeDomain): NoteFiles => {
  const files: NoteFiles = { slugs: [], strange: [] }
  try {
    if (!checkFolder(root, domain)) return files
    for (const name of readdirSync(join(root, domain))) {
      const slug = slugOfName(name)
      if (slug === undefined) continue
      if (NOTE_SLUG.test(slug)) files.slugs.push(slug)
      else files.strange.push({ name, ...explainName(root, domain, name) })
    }
  } catch (thrown) {
    if (isMissing(thrown)) return files
    const { message, details } = toStewardError(thrown)
    return { ...files, fault: typeof details.reason === 'string' ? details.reason : message }
  }
  return files
}

/** The slug that a file name stands for, if it is one of a note at all. */
export const slugOfName = (name: string): string | undefined =>
  /^(?!\.|readme\.md$).*\.md$/i.test(name) ? name.replace(/\.md$/, '') : undefined

/** What a file that a person named freely should be called. */
export const properSlug = (name: string): string => slugify(name.replace(/\.md$/i, ''))

const explainName = (
  root: string,
  domain: KnowledgeDomain,
  name: string,
): { reason: string; kind: 'name' | 'file' } => {
  const found = lstatSync(join(root, domain, name), { throwIfNoEntry: false })
  if (found?.isFile() !== true) {
    return { reason: 'it is no ordinary file; notes lie directly in their domain', kind: 'file' }
  }
  const proper = `${properSlug(name)}.md`
  return {
    reason: `its name is no slug: it should be ${proper} (steward knowledge check --fix)`,
    kind: 'name',
  }
}
