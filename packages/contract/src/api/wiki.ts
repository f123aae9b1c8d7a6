import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'

/** The id of a document or note: `docs/feeds`, `skills/claude/Research`, `knowledge/Ideas/slug`. */
const id = z.string().min(3).max(1000)

/** An id as one path segment, with `:` for `/`: `docs:feeds`. */
export const toWikiSegment = (wikiId: string): string => wikiId.replaceAll('/', ':')

const reference = z.object({
  id: z.string(),
  title: z.string(),
  /** `system-doc`, or the kind of a note: `person`, `company`, `idea`, `research`. */
  category: z.string(),
  /** Its address in the dashboard. */
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

/**
 * Markdown rendered to HTML that is safe to embed: no scripts, styles, images or unknown URL
 * schemes.
 */
const renderedMarkdown = {
  html: z.string(),
  headings: z.array(heading),
  /** Only the beginning of a very long text was rendered. */
  cut: z.boolean(),
}

export const wikiDocumentAnswer = wikiPage
  .extend({
    ...renderedMarkdown,
    /** The source text. */
    markdown: z.string(),
    links: z.array(reference),
    backlinks: z.array(reference),
  })
  .meta({ id: 'WikiDocument' })
export type WikiDocumentAnswer = z.infer<typeof wikiDocumentAnswer>

export const wikiFound = reference.extend({
  /** Its id as one path segment, for `GET /api/wiki/doc/:slug`. */
  slug: z.string(),
  group: z.string(),
  updated: z.string(),
  score: z.number(),
  /** The parts of the score, largest first; they add up to it. */
  why: z.array(z.object({ part: z.string(), points: z.number() })),
  /** The heading above the best match, and its anchor in the rendered document. */
  heading: z.string(),
  anchor: z.string(),
  /** The text around the match, in pieces; `hit` marks the search words. Plain text, not HTML. */
  snippet: z.array(z.object({ text: z.string(), hit: z.boolean() })),
  /** The same text in one string. */
  excerpt: z.string(),
})
export type WikiFound = z.infer<typeof wikiFound>

export const wikiSearchAnswer = z.object({
  results: z.array(wikiFound),
  total: z.int(),
  /** `some`: no document has all words; these have some. */
  matched: z.enum(['all', 'some', 'none']),
  corrections: z.array(z.object({ word: z.string(), used: z.array(z.string()) })),
  /** The index is still being built: there may be more results later. */
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
      /** Sorted by group and title. */
      documents: z.array(wikiPage),
      /** Documents and notes, most recently changed first. */
      recentChanges: z.array(
        reference.extend({
          updated: z.string(),
          slug: z.string(),
          lastModified: z.string(),
          wordCount: z.int(),
        }),
      ),
      /** Groups with their pages, for the sidebars of older dashboards. */
      tree: z.array(
        z.object({
          label: z.string(),
          count: z.int(),
          children: z.array(
            z.object({ label: z.string(), slug: z.string(), category: z.string() }),
          ),
        }),
      ),
      stats: z.object({
        totalPages: z.int(),
        totalSystem: z.int(),
        totalPeople: z.int(),
        totalCompanies: z.int(),
        totalIdeas: z.int(),
        totalResearch: z.int(),
      }),
      /** Files that look like documents but are not. */
      findings: z.array(z.object({ file: z.string(), reason: z.string() })),
      indexing: z.boolean(),
      lastIndexedAt: z.string().nullable(),
    }),
  }),
  searchWiki: defineRoute({
    method: 'GET',
    path: '/api/wiki/search',
    summary: 'Full-text search over documents and notes; explains the rank of each result.',
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
    summary:
      'Documents, notes and the links between them; with `around`, only those near the given one.',
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
  getWikiPage: defineRoute({
    method: 'GET',
    path: '/api/wiki/doc/:slug',
    summary: 'One document or note for older dashboards: its text and metadata.',
    access: 'local',
    why: READ,
    params: z.object({ slug: id }),
    answer: z.object({
      slug: z.string(),
      title: z.string(),
      category: z.string(),
      tags: z.array(z.string()),
      content: z.string(),
      html: z.string(),
      lastModified: z.string(),
      wordCount: z.int(),
      wikilinks: z.array(z.string()),
    }),
    errors: ['not_found', 'rejected_content'],
  }),
  getWikiBacklinks: defineRoute({
    method: 'GET',
    path: '/api/wiki/backlinks/:slug',
    summary: 'The documents and notes that link to one, for older dashboards.',
    access: 'local',
    why: READ,
    params: z.object({ slug: id }),
    answer: z.object({
      backlinks: z.array(z.object({ slug: z.string(), title: z.string(), category: z.string() })),
    }),
    errors: ['not_found'],
  }),
  previewMarkdown: defineRoute({
    method: 'POST',
    path: '/api/knowledge/preview',
    summary: 'Renders Markdown for a preview. Nothing is written.',
    access: 'local',
    why: 'It only renders the given text.',
    body: z.object({
      content: z.string(),
      /** The document or note that contains the text; relative links are resolved against it. */
      id: id.optional(),
    }),
    answer: z.object(renderedMarkdown),
    errors: ['invalid_input', 'payload_too_large'],
    maxBodyBytes: LIMITS.noteBodyBytes,
  }),
}
