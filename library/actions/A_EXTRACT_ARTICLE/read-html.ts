import { type CheckedHtml, checkHtml, type JsonObject } from '@steward/contract'
import { htmlToText } from '../../lib/html-to-text.ts'

/** The metadata and readable text of a page or fragment. */
export interface ReadArticle {
  text: string
  title: string
  byline: string
  publishedAt: string
}

/** Marks a whole page, whose navigation must be removed, rather than a piece of an article. */
const WHOLE_PAGE = /<!doctype html|<html[\s>]|<body[\s>]/i

/**
 * Reads a page with Readability, a fragment directly. Throws `rejected_content` on hostile markup.
 */
export const readHtml = async (html: string, subject: string): Promise<ReadArticle> => {
  const checked = checkHtml(html, subject)
  return WHOLE_PAGE.test(html) ? readPage(checked) : readFragment(checked.html)
}

const readFragment = async (html: string): Promise<ReadArticle> => {
  const { parseHTML } = await import('linkedom')
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`)
  return { text: htmlToText(document.body), title: '', byline: '', publishedAt: '' }
}

// Loaded lazily, because these libraries are larger than all other actions together.
const readPage = async ({ html, mayHoldArticle }: CheckedHtml): Promise<ReadArticle> => {
  const { parseHTML } = await import('linkedom')
  const { document } = parseHTML(html)
  const own = {
    title: metaOf(document, 'og:title') || (document.querySelector('title')?.textContent ?? ''),
    byline: metaOf(document, 'author'),
    publishedAt:
      metaOf(document, 'article:published_time') ||
      (document.querySelector('time[datetime]')?.getAttribute('datetime') ?? ''),
  }
  // Readability modifies the document, so the fallback's text is read first. Accessing
  // document.body would create an empty one if a page has no head.
  const whole = htmlToText(document.querySelector('body') ?? document)
  const article = mayHoldArticle ? await findArticle(document) : undefined
  return {
    text: article?.content || whole,
    title: tidy(article?.title || own.title),
    byline: tidy(article?.byline || own.byline),
    publishedAt: tidy(article?.publishedTime || own.publishedAt),
  }
}

/** Readability throws on pages without the usual structure; all of their text is used instead. */
const findArticle = async (document: Document) => {
  const { Readability } = await import('@mozilla/readability')
  try {
    return new Readability(document, { serializer: htmlToText }).parse()
  } catch {
    return undefined
  }
}

const metaOf = (document: Document, name: string): string =>
  document
    .querySelector(`meta[property="${name}"], meta[name="${name}"]`)
    ?.getAttribute('content') ?? ''

const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** The output fields of an article; missing ones are left to earlier steps. */
export const fieldsOf = ({ title, byline, publishedAt }: ReadArticle): JsonObject => ({
  ...(title === '' ? {} : { title }),
  ...(byline === '' ? {} : { byline }),
  ...(publishedAt === '' ? {} : { published_at: toIso(publishedAt) }),
})

const toIso = (text: string): string => {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? text : date.toISOString()
}
