import { type KnowledgeDomain, StewardError } from '@steward/contract'
import {
  createNote,
  fileOf,
  keyOf,
  parseKey,
  readNoteFile,
  removeNote,
  renameNote,
  restoreNote,
} from '@steward/knowledge'
import { Command } from 'commander'
import { readBodyOption } from '../../input/read-body-option.ts'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findNote, openKnowledge, parseDomainOption, parseTagsOption } from './open-knowledge.ts'

interface AddFlags {
  slug?: string
  tags?: string[]
  body?: string
  json?: true
}

export const createKnowledgeAddCommand = (io: Io): Command =>
  new Command('add')
    .description('Create a note')
    .argument('<domain>', 'People, Companies, Ideas or Research', parseDomainOption)
    .argument('<title>', 'its subject')
    .option('--slug <slug>', 'its file name (default: from the title)')
    .option('--tags <a,b>', 'topics', parseTagsOption)
    .option('--body <text>', 'Markdown; @file reads a file, - standard input')
    .option('--json', 'print JSON')
    .action(async (domain: KnowledgeDomain, title: string, flags: AddFlags) => {
      const { archive } = await openKnowledge(io)
      const slug = flags.slug === undefined ? undefined : checkSlug(domain, flags.slug)
      const body = await readBodyOption(io, flags.body)
      const note = { domain, title, slug, tags: flags.tags, ...body }
      const { place, file } = await createNote(archive, note, () => new Date(io.now()))
      if (flags.json) printJson(io.out, { ...place, etag: file.etag })
      else io.out.write(`${keyOf(place)} added: ${archive.root}/${fileOf(place)}\n`)
    })

const checkSlug = (domain: KnowledgeDomain, slug: string): string => {
  if (parseKey(`${domain}/${slug}`) !== undefined && !slug.startsWith('_')) return slug
  const reason = 'lower-case letters, digits and hyphens'
  throw new StewardError('invalid_input', { subject: `the slug ${slug}`, reason, field: 'slug' })
}

export const createKnowledgeRenameCommand = (io: Io): Command =>
  new Command('rename')
    .description('Rename or move a note; updates links to it')
    .argument('<note>', 'Ideas/slug, a slug, an alias or a title')
    .option('--title <title>', 'its new title; also changes the slug unless given')
    .option('--slug <slug>', 'its new slug')
    .option('--domain <domain>', 'its new domain', parseDomainOption)
    .option('--json', 'print JSON')
    .action(
      async (
        word: string,
        flags: { title?: string; slug?: string; domain?: KnowledgeDomain; json?: true },
      ) => {
        const { archive, loaded } = await openKnowledge(io)
        const { domain, slug } = findNote(loaded, word)
        const { title, domain: toDomain } = flags
        const toSlug =
          flags.slug === undefined ? undefined : checkSlug(toDomain ?? domain, flags.slug)
        const renaming = { title, slug: toSlug, domain: toDomain }
        const now = () => new Date(io.now())
        const { place, relinked } = await renameNote(
          archive,
          loaded,
          { domain, slug },
          renaming,
          now,
        )
        if (flags.json) printJson(io.out, { ...place, relinked })
        else io.out.write(`${keyOf({ domain, slug })} is ${keyOf(place)}\n`)
        for (const each of flags.json ? [] : relinked)
          io.out.write(`  links changed in ${keyOf(each)}\n`)
      },
    )

export const createKnowledgeRemoveCommand = (io: Io): Command =>
  new Command('remove')
    .description('Move a note to the trash')
    .argument('<note>', 'Ideas/slug, a slug, an alias or a title')
    .option('--json', 'print JSON')
    .action(async (word: string, { json }: { json?: true }) => {
      const { archive, loaded } = await openKnowledge(io)
      const { domain, slug } = findNote(loaded, word)
      const trashed = await removeNote(archive, { domain, slug }, {}, () => new Date(io.now()))
      if (json) printJson(io.out, trashed)
      else {
        const key = keyOf({ domain, slug })
        io.out.write(`${key} is in the trash: ${COMMAND} knowledge restore ${key}\n`)
      }
    })

export const createKnowledgeRestoreCommand = (io: Io): Command =>
  new Command('restore')
    .description('Restore a note; moves one in its place to the trash')
    .argument('<note>', 'Ideas/slug')
    .option('--version <version>', 'which version (default: the newest)')
    .option('--json', 'print JSON')
    .action(async (word: string, { version, json }: { version?: string; json?: true }) => {
      const { archive } = await openKnowledge(io)
      const place = parseKey(word)
      if (place === undefined) throw new StewardError('not_found', { what: 'note', name: word })
      const current = readNoteFile(archive.root, place)
      const ifMatch = current === undefined ? {} : { ifMatch: [current.etag] }
      const now = () => new Date(io.now())
      const file = await restoreNote(archive, place, { ...ifMatch, version }, now)
      if (json) printJson(io.out, { ...place, etag: file.etag })
      else io.out.write(`${keyOf(place)} restored\n`)
    })
