import { Readability } from '@mozilla/readability'
import { checkHtml } from '@steward/contract'
import { parseHTML } from 'linkedom'
import { htmlToText } from './html-to-text.ts'

export interface Page {
  html: string
  address: string
  maxChars: number
}

/** The beginning of a page's text, and the length of all of it. */
export interface PageText {
  text: string
  chars: number
}

/**
 * A page's title and readable text: the article if there is one, otherwise everything. Runs in a
 * thread that can be ended, because some pages within the limits take seconds.
 */
export const read = ({ html, address, maxChars }: Page): PageText => {
  const text = readText(html, address)
  return { text: text.slice(0, maxChars), chars: text.length }
}

/** Longer pages would take too long to parse. */
const READABLE_CHARS = 2_000_000

const readText = (html: string, address: string): string => {
  if (html.length > READABLE_CHARS) {
    throw new Error(`the page has more than ${READABLE_CHARS} characters of HTML`)
  }
  const checked = checkHtml(html, address)
  const { document } = parseHTML(checked.html)
  const title = (document.querySelector('title')?.textContent ?? '').replace(/\s+/g, ' ').trim()
  const whole = htmlToText(document.querySelector('body') ?? document, address)
  const article = checked.mayHoldArticle ? findArticle(document, address) : undefined
  const text = article?.content || whole
  const heading = article?.title || title
  return heading === '' ? text : `# ${heading}\n\n${text}`
}

/** Readability throws on pages without the usual structure; all of their text is used instead. */
const findArticle = (document: Document, address: string) => {
  try {
    return new Readability(document, { serializer: (node) => htmlToText(node, address) }).parse()
  } catch {
    return undefined
  }
}
