import {
  type ActionContextV2,
  type JsonObject,
  LIMITS,
  reasonOf,
  StewardError,
} from '@steward/contract'
import { needCapability } from '../../lib/need-capability.ts'
import { readText } from '../../lib/read-fields.ts'
import { countWords } from '../../lib/sentences.ts'
import { isBareUrl, parseWebAddress } from '../../lib/web-address.ts'
import { fetchPage } from './fetch-page.ts'
import { fieldsOf, type ReadArticle, readHtml } from './read-html.ts'

const ACTION = 'A_EXTRACT_ARTICLE'
/** Feeds often contain only the first lines: below this the page itself is fetched. */
const TEASER_CHARS = 600
const TAGS =
  /<(p|div|article|section|html|body|h[1-6]|br|ul|ol|li|blockquote|pre|a|em|strong|b|i|img|span|table)\b[^<>]*>/i

export const execute = async (input: JsonObject, context: ActionContextV2): Promise<JsonObject> => {
  const html = readText(input, 'html')
  if (html !== '') return answer(await readGiven(html, input), 'html', input)
  const content = readText(input, 'content')
  const given = content === '' || isBareUrl(content) ? '' : content
  const address = readText(input, 'url') || (given === '' ? content : '')
  if (given === '' && address === '') throw nothingGiven()
  if (given === '') return extractPage(address, input, context)
  const article = await readGiven(given, input)
  const kind = TAGS.test(given) ? 'html' : 'text'
  if (address === '' || article.text.length >= TEASER_CHARS) return answer(article, kind, input)
  try {
    return await extractPage(address, input, context)
  } catch (thrown) {
    context.signal.throwIfAborted()
    if (article.text.length < LIMITS.labelContentMinChars) throw thrown
    context.log(`used the text that came along, because the page failed: ${reasonOf(thrown)}`)
    return answer(article, kind, input)
  }
}

const readGiven = async (text: string, input: JsonObject): Promise<ReadArticle> => {
  if (TAGS.test(text)) return readHtml(text, readText(input, 'url') || ACTION)
  return readPlain(text)
}

/** Plain text; a Markdown heading above it is its title. */
const readPlain = (text: string): ReadArticle => {
  const clean = text.replace(/\r\n?/g, '\n').trim()
  const title = /^# +([^ \n][^\n]*)\n/.exec(clean)?.[1]?.trim() ?? ''
  return { text: clean, title, byline: '', publishedAt: '' }
}

const extractPage = async (
  address: string,
  input: JsonObject,
  context: ActionContextV2,
): Promise<JsonObject> => {
  const fetch = needCapability(context, ACTION, 'fetch')
  const page = await fetchPage(fetch, parseWebAddress(address, ACTION).href, context.signal)
  const article = page.isHtml ? await readHtml(page.text, page.url) : readPlain(page.text)
  return { ...answer(article, 'page', input), url: page.url }
}

const answer = (
  article: ReadArticle,
  kind: 'page' | 'html' | 'text',
  input: JsonObject,
): JsonObject => {
  const title = readText(input, 'title') || article.title
  const content = withoutTitle(article.text, title)
  if (content === '') {
    throw new StewardError('rejected_content', {
      subject: readText(input, 'url') || ACTION,
      reason: 'no readable text was found',
    })
  }
  return {
    ...fieldsOf({
      ...article,
      title,
      publishedAt: readText(input, 'published_at') || article.publishedAt,
    }),
    content,
    word_count: countWords(content),
    extracted_from: kind,
  }
}

/** Feeds repeat the title above the text, which is redundant. */
const withoutTitle = (text: string, title: string): string => {
  const trimmed = text.trim()
  const bare = trimmed.replace(/^#+ /, '')
  if (title === '' || !bare.startsWith(`${title}\n`)) return trimmed
  return bare.slice(title.length).trim()
}

const nothingGiven = (): StewardError =>
  new StewardError('invalid_input', {
    subject: ACTION,
    reason: 'give one of "url", "html" or "content"; all are empty',
    field: 'url',
  })
