import { StewardError } from './errors.ts'
import { LIMITS } from './limits.ts'
import { measureHtml } from './measure-html.ts'

export interface CheckedHtml {
  html: string
  mayHoldArticle: boolean
}

/**
 * Rejects a page that would take longer than about a second to parse, and returns the page to parse:
 * without the rest of overlong attributes. `mayHoldArticle` is false if searching it for an article
 * would take too long.
 */
export const checkHtml = (html: string, subject: string): CheckedHtml => {
  const refuse = (reason: string) => new StewardError('rejected_content', { subject, reason })
  if (html.length > LIMITS.htmlChars) {
    throw refuse(`the page has more than ${LIMITS.htmlChars} characters of HTML`)
  }
  const references = countReferences(html)
  if (references > LIMITS.htmlReferences) {
    throw refuse(`the page has more than ${LIMITS.htmlReferences} character references`)
  }
  const extent = measureHtml(html)
  const { depth, elements, attributes, nesting, marks } = extent
  if (depth > LIMITS.htmlDepth) {
    throw refuse(`the page nests its elements more than ${LIMITS.htmlDepth} deep`)
  }
  if (elements > LIMITS.htmlElements) {
    throw refuse(`the page has more than ${LIMITS.htmlElements} elements`)
  }
  if (attributes > LIMITS.htmlAttributes) {
    throw refuse(`the page has more than ${LIMITS.htmlAttributes} attributes`)
  }
  const work = elements + marks + (attributes + references + html.length / 25) / 2
  if (work > LIMITS.htmlWork)
    throw refuse('the page has more markup and text than can be read in time')
  const parts = elements + attributes / 5 + (references + marks) / 3
  return {
    html: withoutSpans(html, extent.excess),
    mayHoldArticle:
      extent.headings * extent.titleChars <= LIMITS.htmlTitleComparisons &&
      nesting <= LIMITS.htmlNesting &&
      parts <= LIMITS.htmlArticleParts &&
      html.length <= LIMITS.htmlArticleChars,
  }
}

const countReferences = (html: string): number => {
  let count = 0
  for (let at = html.indexOf('&'); at !== -1; at = html.indexOf('&', at + 1)) count++
  return count
}

const withoutSpans = (
  text: string,
  spans: ReadonlyArray<readonly [from: number, to: number]>,
): string => {
  if (spans.length === 0) return text
  const starts = [0, ...spans.map(([, to]) => to)]
  return starts.map((start, index) => text.slice(start, spans[index]?.[0])).join('')
}
