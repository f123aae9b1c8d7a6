import { checkHtml } from '@steward/contract'
import { htmlToText } from './html-to-text.ts'

/** Longer ones would hold up every other session while they are taken apart. */
const READABLE_CHARS = 2_000_000

/** A page's title and its readable text: the article if it has one, and all of it if not. */
export const readPage = async (html: string, address: string): Promise<string> => {
  if (html.length > READABLE_CHARS) {
    throw new Error(`the page has more than ${READABLE_CHARS} characters of HTML`)
  }
  const { mayHoldArticle } = checkHtml(html, 'the page cannot be read')
  // Loaded when a page is read: they are large, and many sessions never read one.
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
