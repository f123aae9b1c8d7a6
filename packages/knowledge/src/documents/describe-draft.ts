import { createHash } from 'node:crypto'
import { z } from 'zod'
import { maskCode } from '../notes/links/mask-code.ts'
import { isLarge, type LargeIndexing } from '../search/index-large.ts'
import type { SearchDocument } from '../search/search-document.ts'
import { splitSections } from '../search/split-sections.ts'
import type { Draft } from './wiki-source.ts'

export const DOCUMENT_KIND = 'document'

/** A document in the catalogue: everything except its text. */
export const wikiDocument = z.object({
  id: z.string(),
  group: z.string(),
  /** Its source's key and its file; neither for a generated document. */
  source: z.string(),
  file: z.string(),
  title: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  updatedMs: z.number(),
  /** The `[[names]]` and relative paths that it links to. */
  names: z.array(z.string()),
  paths: z.array(z.string()),
})
export type WikiDocument = z.infer<typeof wikiDocument>

const WIKILINK = /\[\[([^[\]\n|#]{1,300})(?:#[^[\]\n|]{0,300})?(?:\|[^[\]\n]{0,300})?\]\]/g
const PATH =
  /\]\([ \t]*<?([^\s()<>#]{1,500})(?:#[^\s()<>]{0,300})?>?(?:[ \t]+"[^"\n]{0,300}")?[ \t]*\)/g
const MOST_LINKS = 1000
const LONGEST_TITLE = 300

export interface DraftPlace {
  source: string
  group: string
  file: string
  mark: string
  updatedMs: number
}

/** The catalogue and index entries of a draft. */
export const describeDraft = async (
  draft: Draft,
  { source, group, file, mark, updatedMs }: DraftPlace,
  large?: Pick<LargeIndexing, 'outline'>,
): Promise<{ document: WikiDocument; entry: SearchDocument }> => {
  const { markdown } = draft
  const { title, summary, content } =
    large !== undefined && isLarge(markdown)
      ? { ...(await large.outline(markdown)), content: markdown }
      : splitHere(markdown)
  const masked = maskCode(markdown)
  const id = `${source}/${draft.path}`.normalize('NFC')
  const base = id.split('/').at(-1) ?? id
  const document: WikiDocument = {
    id,
    group,
    source,
    file,
    title: (draft.title ?? title ?? base).slice(0, LONGEST_TITLE),
    summary: draft.summary ?? summary,
    tags: [...draft.tags],
    updatedMs,
    names: unique([
      ...[...masked.matchAll(WIKILINK)].map(([, name = '']) => name.trim()),
      ...draft.related,
    ]),
    paths: unique([...masked.matchAll(PATH)].map(([, path = '']) => path)).filter(isRelative),
  }
  const entry = {
    id,
    kind: DOCUMENT_KIND,
    title: document.title,
    names: [base],
    tags: document.tags,
    updatedMs,
    mark,
    content,
    data: JSON.stringify(document),
  }
  return { document, entry }
}

const splitHere = (markdown: string) => {
  const { sections, ...outline } = splitSections(markdown)
  return { ...outline, content: sections }
}

/** The version of a generated document. */
export const markOfText = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)

const unique = (items: readonly string[]): string[] =>
  [...new Set(items.filter((item) => item !== ''))].slice(0, MOST_LINKS)

const isRelative = (path: string): boolean => !/^(?:[a-z][a-z\d+.-]*:|\/|#)/i.test(path)
