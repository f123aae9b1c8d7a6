import { checkHtml, type JsonObject } from '@steward/contract'
import { htmlToText } from '../../lib/html-to-text.ts'

/** What a page or fragment says about itself, and its readable text. */
export interface ReadArticle {
  text: string
  title: string
  byline: string
  publishedAt: string
}

/** What marks a whole page, with navigation and all to be left out, rather than a piece of an article. */
const WHOLE_PAGE = /<!doctype html|<html[\s>]|<body[\s>]/i

/** Reads a page through Readability, a fragment as it is. Throws `rejected_content` on hostile markup. */
export const readHtml = async (html: string, subject: string): Promise<ReadArticle> => {
  const { mayHoldArticle } = checkHtml(html, subject)
  return WHOLE_PAGE.test(html) ? readPage(html, mayHoldArticle) : readFragment(html)
}

const readFragment = async (html: string): Promise<ReadArticle> => {
  const { parseHTML } = await import('linkedom')
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`)
  return { text: htmlToText(document.body), title: '', byline: '', publishedAt: '' }
}

// Loaded when a page is read: these libraries are larger than all other actions together.
const readPage = async (html: string, mayHoldArticle: boolean): Promise<ReadArticle> => {
  const { parseHTML } = await import('linkedom')
  const { Readability } = await import('@mozilla/readability')
  const { document } = parseHTML(html)
  const own = {
    title: metaOf(document, 'og:title') || (document.querySelector('title')?.textContent ?? ''),
    byline: metaOf(document, 'author'),
    publishedAt:
      metaOf(document, 'article:published_time') ||
      (document.querySelector('time[datetime]')?.getAttribute('datetime') ?? ''),
  }
  // Readability takes the document apart, so whatever the fallback needs is read before.
  // Asking for document.body would make an empty one where a page has no head.
  const whole = htmlToText(document.querySelector('body') ?? document)
  const article = mayHoldArticle
    ? new Readability(document, { serializer: htmlToText }).parse()
    : undefined
  return {
    text: article?.content || whole,
    title: tidy(article?.title || own.title),
    byline: tidy(article?.byline || own.byline),
    publishedAt: tidy(article?.publishedTime || own.publishedAt),
  }
}

const metaOf = (document: Document, name: string): string =>
  document
    .querySelector(`meta[property="${name}"], meta[name="${name}"]`)
    ?.getAttribute('content') ?? ''

const tidy = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** The output fields an article fills; a field it says nothing about is left to earlier steps. */
export const fieldsOf = ({ title, byline, publishedAt }: ReadArticle): JsonObject => ({
  ...(title === '' ? {} : { title }),
  ...(byline === '' ? {} : { byline }),
  ...(publishedAt === '' ? {} : { published_at: toIso(publishedAt) }),
})

const toIso = (text: string): string => {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? text : date.toISOString()
}
