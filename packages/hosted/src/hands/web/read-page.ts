import { checkHtml } from '@steward/contract'
import { htmlToText } from './html-to-text.ts'

/** Parsing longer pages would block all other sessions. */
const READABLE_CHARS = 2_000_000

/** A page's title and readable text: the article if there is one, otherwise everything. */
export const readPage = async (html: string, address: string): Promise<string> => {
  if (html.length > READABLE_CHARS) {
    throw new Error(`the page has more than ${READABLE_CHARS} characters of HTML`)
  }
  const { mayHoldArticle } = checkHtml(html, 'the page cannot be read')
  // Loaded on demand: the libraries are large, and many sessions never read a page.
  const [{ parseHTML }, { Readability }] = await Promise.all([
    import('linkedom'),
    import('@mozilla/readability'),
  ])
  const { document } = parseHTML(html)
  const title = (document.querySelector('title')?.textContent ?? '').replace(/\s+/g, ' ').trim()
  const whole = htmlToText(document.querySelector('body') ?? document, address)
  const article = mayHoldArticle
    ? new Readability(document, { serializer: (node) => htmlToText(node, address) }).parse()
    : undefined
  const text = article?.content || whole
  const heading = article?.title || title
  return heading === '' ? text : `# ${heading}\n\n${text}`
}
