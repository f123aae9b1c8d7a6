import type { JsonObject } from '@steward/contract'
import { escapeInline, escapeLine, escapeParagraphs, linkTo } from '../../lib/markdown.ts'
import { readText, readTexts } from '../../lib/read-fields.ts'
import { splitSentences } from '../../lib/sentences.ts'

const MAX_SUBJECT_CHARS = 150
const EXCERPT_SENTENCES = 3

export const execute = (input: JsonObject): JsonObject => {
  const title = titleOf(input)
  const lead = readText(input, 'one_sentence_summary')
  const summary = readText(input, 'summary')
  const blocks = [
    `## ${linkTo(title, readText(input, 'url'))}`,
    emphasise(describeOrigin(input), '*'),
    emphasise(summary.includes(lead) ? '' : escapeInline(lead), '**'),
    escapeParagraphs(summary),
    lead === '' && summary === '' ? escapeLine(excerptOf(input)) : '',
    readTexts(input, 'key_points')
      .map((point) => `- ${escapeLine(point)}`)
      .join('\n'),
    describeJudgement(input),
  ]
  return {
    body: `${blocks.filter((block) => block !== '').join('\n\n')}\n`,
    subject: subjectOf(input, title),
  }
}

const titleOf = (input: JsonObject): string => {
  const title = readText(input, 'title')
  if (title !== '') return title
  return splitSentences(readText(input, 'content'))[0]?.slice(0, 100) ?? 'Untitled'
}

/** The subject of a mail is plain text on one line. */
const subjectOf = (input: JsonObject, title: string): string => {
  const subject = (readText(input, 'subject') || title).replace(/\s+/g, ' ')
  return subject.length > MAX_SUBJECT_CHARS
    ? `${subject.slice(0, MAX_SUBJECT_CHARS - 1).trimEnd()}…`
    : subject
}

const excerptOf = (input: JsonObject): string =>
  splitSentences(readText(input, 'content')).slice(0, EXCERPT_SENTENCES).join(' ')

const describeOrigin = (input: JsonObject): string => {
  const author = readText(input, 'author') || readText(input, 'byline')
  return [escapeInline(author), formatDay(readText(input, 'published_at'))]
    .filter((part) => part !== '')
    .join(', ')
}

const formatDay = (text: string): string => {
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return ''
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) return ''
  return date.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
}

const describeJudgement = (input: JsonObject): string => {
  const rating = escapeInline(readText(input, 'rating'))
  const score = typeof input.quality_score === 'number' ? ` (${input.quality_score} of 100)` : ''
  const labels = readTexts(input, 'labels').map(escapeInline).join(', ')
  return [rating && `Rated ${rating}${score}`, labels && `Labels: ${labels}`]
    .filter((part) => part !== '')
    .join(' · ')
}

const emphasise = (text: string, mark: string): string =>
  text === '' ? '' : `${mark}${text}${mark}`
