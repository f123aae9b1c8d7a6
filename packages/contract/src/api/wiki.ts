import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are refused before.'

/** What a document or note is called: `docs/feeds`, `skills/claude/Research`, `knowledge/Ideas/slug`. */
const id = z.string().min(3).max(1000)

/** An id as one segment of a path, where no `/` may be: `docs:feeds`. */
export const toWikiSegment = (wikiId: string): string => wikiId.replaceAll('/', ':')

const reference = z.object({
  id: z.string(),
  title: z.string(),
  /** `system-doc`, or what a note is of: `person`, `company`, `idea`, `research`. */
  category: z.string(),
  /** Where the dashboard shows it. */
  address: z.string(),
})

export const wikiPage = reference.extend({
  group: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  updated: z.string(),
})
export type WikiPage = z.infer<typeof wikiPage>

const heading = z.object({ level: z.int(), text: z.string(), anchor: z.string() })

/** Markdown as HTML that is safe to put into a page: no scripts, styles, images or unknown schemes. */
export const renderedMarkdown = z.object({
  html: z.string(),
  headings: z.array(heading),
  /** Only the beginning of a very long text is rendered. */
  cut: z.boolean(),
})

export const wikiDocumentAnswer = wikiPage
  .extend({
    ...renderedMarkdown.shape,
    /** The text that was rendered. */
    markdown: z.string(),
    links: z.array(reference),
    backlinks: z.array(reference),
  })
  .meta({ id: 'WikiDocument' })
export type WikiDocumentAnswer = z.infer<typeof wikiDocumentAnswer>

export const wikiFound = reference.extend({
  group: z.string(),
  updated: z.string(),
  score: z.number(),
  /** What the score is made of, the weightiest first; it is their sum. */
  why: z.array(z.object({ part: z.string(), points: z.number() })),
  /** The heading that the best place is under, and its anchor in the rendered document. */
  heading: z.string(),
  anchor: z.string(),
  /** The text there, in pieces; `hit` is what was looked for. Plain text: nothing in it is HTML. */
  snippet: z.array(z.object({ text: z.string(), hit: z.boolean() })),
  /** The same in one piece. */
  excerpt: z.string(),
})
export type WikiFound = z.infer<typeof wikiFound>

export const wikiSearchAnswer = z.object({
  results: z.array(wikiFound),
  total: z.int(),
  /** `some`: nothing has all of the words, these have some. */
  matched: z.enum(['all', 'some', 'none']),
  corrections: z.array(z.object({ word: z.string(), used: z.array(z.string()) })),
  /** The index is still being made: there may be more in a moment. */
  indexing: z.boolean(),
})
export type WikiSearchAnswer = z.infer<typeof wikiSearchAnswer>

export const wikiRoutes = {
  getWiki: defineRoute({
    method: 'GET',
    path: '/api/wiki',
    summary: "The index of documents: Steward's own, your directories, skills, hooks, the library.",
    access: 'local',
    why: READ,
    query: z.object({ group: z.string().max(100).optional() }),
    answer: z.object({
      groups: z.array(z.object({ name: z.string(), label: z.string(), count: z.int() })),
      /** By group and title. */
      documents: z.array(wikiPage),
      /** Documents and notes, the last changed first. */
      recentChanges: z.array(reference.extend({ updated: z.string() })),
      stats: z.object({
        totalPages: z.int(),
        totalSystem: z.int(),
        totalPeople: z.int(),
        totalCompanies: z.int(),
        totalIdeas: z.int(),
        totalResearch: z.int(),
      }),
      /** Files that are no documents although they look like it. */
      findings: z.array(z.object({ file: z.string(), reason: z.string() })),
      indexing: z.boolean(),
      lastIndexedAt: z.string().nullable(),
    }),
  }),
  searchWiki: defineRoute({
    method: 'GET',
    path: '/api/wiki/search',
    summary: 'Full-text search over documents and notes; says why a result is where it is.',
    access: 'local',
    why: READ,
    query: z.object({
      q: z.string().max(400).default(''),
      limit: z.coerce.number().int().min(1).max(200).default(20),
      offset: z.coerce.number().int().min(0).max(10_000).default(0),
      kind: z.enum(['document', 'note']).optional(),
    }),
    answer: wikiSearchAnswer,
    errors: ['invalid_input'],
  }),
  getWikiGraph: defineRoute({
    method: 'GET',
    path: '/api/wiki/graph',
    summary: 'Documents, notes and the links between them; with `around`, what is near one.',
    access: 'local',
    why: READ,
    query: z.object({
      around: id.optional(),
      depth: z.coerce.number().int().min(1).max(5).default(1),
    }),
    answer: z.object({
      nodes: z.array(
        z.object({
          id: z.string(),
          title: z.string(),
          category: z.string(),
          group: z.string(),
          quality: z.number().optional(),
          backlinkCount: z.int(),
        }),
      ),
      edges: z.array(z.object({ source: z.string(), target: z.string() })),
    }),
    errors: ['not_found'],
  }),
  getWikiDocument: defineRoute({
    method: 'GET',
    path: '/api/wiki/:id',
    summary:
      'One document or note as safe HTML, its headings and links; `/` in its id is written as `:` here.',
    access: 'local',
    why: READ,
    params: z.object({ id }),
    answer: wikiDocumentAnswer,
    errors: ['not_found', 'rejected_content'],
  }),
  previewMarkdown: defineRoute({
    method: 'POST',
    path: '/api/knowledge/preview',
    summary: 'Markdown as it would be shown. Nothing is written.',
    access: 'local',
    why: 'It only renders what it is handed.',
    body: z.object({
      content: z.string(),
      /** The document or note that it is of: links are followed from there. */
      id: id.optional(),
    }),
    answer: renderedMarkdown,
    errors: ['invalid_input', 'payload_too_large'],
    maxBodyBytes: LIMITS.noteBodyBytes,
  }),
}
