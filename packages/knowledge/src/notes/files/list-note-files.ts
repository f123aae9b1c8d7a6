import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type KnowledgeDomain, NOTE_SLUG, toStewardError } from '@steward/contract'
import { isMissing } from '@steward/platform'
import { slugify } from '../slugify.ts'
import { checkFolder } from './read-note-file.ts'

export interface NoteFiles {
  slugs: string[]
  /** Files that look like notes but have an invalid name or type. */
  strange: { name: string; reason: string; kind: 'name' | 'file' }[]
  fault?: string
}

/** The notes of a domain, from file names alone. Drafts, hidden files and README are excluded. */
export const listNoteFiles = (root: string, domain: KnowledgeDomain): NoteFiles => {
  const files: NoteFiles = { slugs: [], strange: [] }
  try {
    if (!checkFolder(root, domain)) return files
    for (const entry of readdirSync(join(root, domain), { withFileTypes: true })) {
      const { name } = entry
      if (entry.isDirectory() && !/^[._]/.test(name) && !name.endsWith('.md')) {
        const reason = `notes in subfolders are not read: steward knowledge import takes them over`
        files.strange.push({ name, reason, kind: 'file' })
      }
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

/** The slug of a file name, if it is a note. */
export const slugOfName = (name: string): string | undefined =>
  /^(?!\.|readme\.md$).*\.md$/i.test(name) ? name.replace(/\.md$/, '') : undefined

/** The valid slug for an arbitrary file name. */
export const properSlug = (name: string): string => slugify(name.replace(/\.md$/i, ''))

const explainName = (
  root: string,
  domain: KnowledgeDomain,
  name: string,
): { reason: string; kind: 'name' | 'file' } => {
  const found = lstatSync(join(root, domain, name), { throwIfNoEntry: false })
  if (found?.isFile() !== true) {
    return {
      reason: 'it is not a regular file; notes must be directly in their domain',
      kind: 'file',
    }
  }
  const proper = `${properSlug(name)}.md`
  return {
    reason: `its name is not a slug: it should be ${proper} (steward knowledge check --fix)`,
    kind: 'name',
  }
}
