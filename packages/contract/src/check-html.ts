import { StewardError } from './errors.ts'
import { LIMITS } from './limits.ts'
import { measureHtml } from './measure-html.ts'

/**
 * Rejects a page that would take more than two seconds to parse. `mayHoldArticle` is false if the page
 * can be parsed but searching it for an article would take too long.
 */
export const checkHtml = (html: string, subject: string): { mayHoldArticle: boolean } => {
  const refuse = (reason: string) => new StewardError('rejected_content', { subject, reason })
  if (html.length > LIMITS.htmlChars) {
    throw refuse(`the page has more than ${LIMITS.htmlChars} characters of HTML`)
  }
  const references = countReferences(html)
  if (references > LIMITS.htmlReferences) {
    throw refuse(`the page has more than ${LIMITS.htmlReferences} character references`)
  }
  const { depth, elements, attributes, nesting, marks } = measureHtml(html)
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
  const parts = elements + attributes + references + marks
  return {
    mayHoldArticle:
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
