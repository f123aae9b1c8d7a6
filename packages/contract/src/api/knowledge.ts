import { z } from 'zod'
import {
  KNOWLEDGE_DOMAINS,
  type KnowledgeDomain,
  parseKnowledgeDomain,
} from '../knowledge-domain.ts'
import { LIMITS } from '../limits.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'
const WRITE = 'It changes knowledge that people and assistants rely on.'

/** A note's file name without `.md`; maps of content begin with `_`. */
export const NOTE_SLUG = /^_?[a-z0-9][a-z0-9-]{0,119}$/

const domain = z.enum(KNOWLEDGE_DOMAINS)
const domainWord = z.string().transform((word, context): KnowledgeDomain => {
  const found = parseKnowledgeDomain(word)
  if (found !== undefined) return found
  context.addIssue({ code: 'custom', message: `one of ${KNOWLEDGE_DOMAINS.join(', ')}` })
  return z.NEVER
})
const slug = z.string().regex(NOTE_SLUG, 'lower-case letters, digits and hyphens')
const newSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,119}$/, 'lower-case letters, digits and hyphens, at most 120')
const title = z.string().trim().min(1).max(200)
const tags = z.array(z.string().trim().min(1).max(60)).max(50)
const params = z.object({ domain: domainWord, slug })

export const noteSummary = z.object({
  title: z.string(),
  domain,
  type: z.string(),
  quality: z.number(),
  tags: z.array(z.string()),
  created: z.string(),
  updated: z.string(),
  slug: z.string(),
})
export type NoteSummary = z.infer<typeof noteSummary>

const noteRef = z.object({ domain, slug: z.string(), title: z.string() })
export type NoteRef = z.infer<typeof noteRef>

/** A problem in a file of the archive; `file` is relative to the archive. */
export const noteProblem = z.object({ file: z.string(), reason: z.string() })
export type NoteProblem = z.infer<typeof noteProblem>

export const note = noteSummary
  .extend({
    /** The whole file. */
    content: z.string(),
    etag: z.string(),
    aliases: z.array(z.string()),
    source: z.string().optional(),
    links: z.array(
      z.object({
        text: z.string(),
        to: noteRef.nullable(),
        /** Of a typed link, such as `supports`. */
        type: z.string().optional(),
      }),
    ),
    backlinks: z.array(noteRef),
    problems: z.array(z.string()),
  })
  .meta({ id: 'KnowledgeNote' })
export type KnowledgeNote = z.infer<typeof note>

const saved = note.extend({ ok: z.literal(true) })

/** A note in the trash, or the text that an unconditional save replaced. */
export const trashedNote = z.object({
  domain,
  slug: z.string(),
  title: z.string(),
  /** Distinguishes several with the same name. */
  version: z.string(),
  trashedAt: z.string(),
})
export type TrashedNote = z.infer<typeof trashedNote>

export const knowledgeRoutes = {
  getKnowledge: defineRoute({
    method: 'GET',
    path: '/api/knowledge',
    summary: 'The archive: domains, notes (newest change first), tags, map of content.',
    access: 'local',
    why: READ,
    query: z.object({
      q: z.string().max(200).optional(),
      tag: z.string().max(60).optional(),
      domain: domainWord.optional(),
      limit: z.coerce.number().int().min(1).max(LIMITS.knowledgeListedNotes).default(1000),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    answer: z.object({
      domains: z.array(
        z.object({
          name: domain,
          count: z.int(),
          avgQuality: z.number(),
          lowCount: z.int(),
          midCount: z.int(),
          highCount: z.int(),
        }),
      ),
      notes: z.array(noteSummary),
      /** All notes in the archive. */
      totalNotes: z.int(),
      /** Notes that match `q`, `tag` and `domain`; `notes` is one page of them. */
      matched: z.int(),
      /** The search index is still being built: `q` may find more later. */
      indexing: z.boolean(),
      avgQuality: z.number(),
      topTags: z.array(z.object({ tag: z.string(), count: z.int() })),
      topLinked: z.array(noteRef.extend({ backlinks: z.int() })),
      /** Files whose name begins with `_`. */
      maps: z.array(noteRef),
      lastHarvest: z.string().nullable(),
      problems: z.array(noteProblem),
    }),
    errors: ['invalid_input'],
  }),
  createNote: defineRoute({
    method: 'POST',
    path: '/api/knowledge',
    summary: 'Creates a note; its slug is derived from the title unless given.',
    access: 'token',
    why: WRITE,
    body: z.object({
      domain: domainWord,
      title,
      slug: newSlug.optional(),
      tags: tags.optional(),
      /** Markdown below the frontmatter. */
      body: z.string().optional(),
    }),
    answer: saved,
    status: 201,
    errors: ['invalid_input', 'already_exists', 'payload_too_large'],
    maxBodyBytes: LIMITS.noteBodyBytes,
  }),
  getKnowledgeGraph: defineRoute({
    method: 'GET',
    path: '/api/knowledge/graph',
    summary: 'Notes and the links between them; with `around`, only notes near the given one.',
    access: 'local',
    why: READ,
    query: z.object({
      /** `Ideas/slug`. */
      around: z.string().max(200).optional(),
      depth: z.coerce.number().int().min(1).max(5).default(1),
    }),
    answer: z.object({
      nodes: z.array(
        z.object({
          id: z.string(),
          title: z.string(),
          category: z.string(),
          quality: z.number(),
          backlinkCount: z.int(),
        }),
      ),
      edges: z.array(z.object({ source: z.string(), target: z.string() })),
    }),
    errors: ['not_found'],
  }),
  listTrash: defineRoute({
    method: 'GET',
    path: '/api/knowledge/trash',
    summary: 'Deleted and replaced notes that can be restored, newest first.',
    access: 'local',
    why: READ,
    answer: z.object({ notes: z.array(trashedNote) }),
  }),
  getNote: defineRoute({
    method: 'GET',
    path: '/api/knowledge/:domain/:slug',
    summary: 'One note, its links and backlinks; `ETag` names its version.',
    access: 'local',
    why: READ,
    params,
    answer: note,
    errors: ['not_found', 'payload_too_large', 'rejected_content'],
  }),
  saveNote: defineRoute({
    method: 'PUT',
    path: '/api/knowledge/:domain/:slug',
    summary:
      'Replaces a note: `If-Match` names the version it is based on (412 with the current version on mismatch), `If-None-Match: *` creates a new note. Without either, the replaced text is kept in the trash.',
    access: 'token',
    why: WRITE,
    params,
    body: z.object({ content: z.string().min(1) }),
    answer: saved,
    errors: ['invalid_input', 'not_found', 'version_conflict', 'payload_too_large'],
    maxBodyBytes: LIMITS.noteBodyBytes,
  }),
  renameNote: defineRoute({
    method: 'POST',
    path: '/api/knowledge/:domain/:slug/rename',
    summary: 'Changes the title, slug or domain of a note; links in other notes are updated.',
    access: 'token',
    why: WRITE,
    params,
    body: z.object({
      title: title.optional(),
      slug: newSlug.optional(),
      domain: domainWord.optional(),
    }),
    answer: saved.extend({ relinked: z.array(noteRef) }),
    errors: ['invalid_input', 'not_found', 'already_exists', 'version_conflict'],
  }),
  removeNote: defineRoute({
    method: 'DELETE',
    path: '/api/knowledge/:domain/:slug',
    summary: 'Moves a note to the trash.',
    access: 'token',
    why: WRITE,
    params,
    answer: z.object({ ok: z.literal(true), trashed: trashedNote }),
    errors: ['not_found', 'version_conflict'],
  }),
  restoreNote: defineRoute({
    method: 'POST',
    path: '/api/knowledge/:domain/:slug/restore',
    summary:
      'Restores a note from the trash; replacing an existing note requires `If-Match` and moves that note to the trash.',
    access: 'token',
    why: WRITE,
    params,
    body: z.object({ version: z.string().max(60).optional() }),
    answer: saved,
    errors: ['not_found', 'already_exists', 'version_conflict'],
  }),
}
