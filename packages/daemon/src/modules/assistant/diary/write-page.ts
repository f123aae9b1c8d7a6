import type { DiaryFields } from '@steward/contract'
import { stringify } from 'yaml'
import type { Day } from './gather-days.ts'

const SHOWN = 8
const GOOD = 7
const BAD = 4

/** A day's page from counts: fields for programs and sentences for people. */
export const writePage = (
  day: Day,
  summary: { text: string; model: string } | undefined,
): string => {
  const fields = fieldsOf(day)
  const marked =
    summary === undefined ? '' : `> ${oneLine(summary.text)}\n> (summed up by ${summary.model})\n\n`
  return `---\n${stringify(fields)}---\n\n# ${day.date}\n\n${marked}${sentencesOf(day).join('\n')}\n`
}

const fieldsOf = (day: Day): DiaryFields => {
  const average = averageOf(day.ratings.map(({ rating }) => rating))
  return {
    date: day.date,
    interaction_count: day.prompts,
    topics: day.sessions.slice(0, SHOWN),
    mood: moodOf(day, average),
    avg_rating: average,
    notable_moments: momentsOf(day),
    learning: learningOf(day),
  }
}

/** Without a rating or a signal the mood is unknown. */
const moodOf = ({ signals }: Day, average: number | null): DiaryFields['mood'] => {
  const balance = (signals.get('praise') ?? 0) - (signals.get('correction') ?? 0)
  if (average !== null)
    return average >= GOOD ? 'positive' : average <= BAD ? 'frustrated' : 'neutral'
  return balance > 0 ? 'positive' : balance < -1 ? 'frustrated' : 'neutral'
}

const momentsOf = (day: Day): string[] => {
  const failed = day.runs.filter(({ status }) => status === 'failed')
  return [
    ...day.ratings
      .filter(({ rating }) => rating >= 9 || rating <= BAD)
      .map(
        ({ rating, comment }) =>
          `rated ${rating}${comment === undefined ? '' : `: ${oneLine(comment)}`}`,
      ),
    ...failed.map(({ name }) => `${name} failed`),
  ].slice(0, SHOWN)
}

const learningOf = ({ failures, signals }: Day): string | null => {
  const [worst] = failures
  const repeated = signals.get('repeated-failure') ?? 0
  if (worst === undefined || repeated === 0) return null
  return `${worst[0]} kept failing (${worst[1]} times).`
}

export const sentencesOf = (day: Day): string[] => {
  const completed = day.runs.filter(({ status }) => status === 'completed').length
  const failed = day.runs.filter(({ status }) => status === 'failed').length
  const failures = [...day.failures.values()].reduce((sum, count) => sum + count, 0)
  const average = averageOf(day.ratings.map(({ rating }) => rating))
  const least = day.isCut ? 'at least ' : ''
  return [
    `- ${least}${count(day.prompts, 'prompt')} and ${count(day.toolCalls, 'tool call')} in ${count(day.sessions.length, 'session')}.`,
    ...day.sessions.slice(0, SHOWN).map((name) => `  - ${oneLine(name)}`),
    ...(day.sessions.length > SHOWN ? [`  - and ${day.sessions.length - SHOWN} more`] : []),
    ...(failures === 0
      ? []
      : [`- ${count(failures, 'failed tool call')}: ${namesOf(day.failures)}.`]),
    ...(day.runs.length === 0
      ? []
      : [`- ${count(day.runs.length, 'run')}: ${completed} completed, ${failed} failed.`]),
    ...(average === null
      ? []
      : [`- ${count(day.ratings.length, 'rating')}, ${average} on average.`]),
    ...(day.notifications === 0 ? [] : [`- ${count(day.notifications, 'notification')}.`]),
  ]
}

const namesOf = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .slice(0, SHOWN)
    .map(([name, times]) => `${oneLine(name)} ${times}`)
    .join(', ')

const count = (number: number, thing: string): string =>
  `${number} ${thing}${number === 1 ? '' : 's'}`

const averageOf = (numbers: readonly number[]): number | null =>
  numbers.length === 0
    ? null
    : Math.round((numbers.reduce((sum, each) => sum + each, 0) / numbers.length) * 10) / 10

/** Names and comments are untrusted: reduce them to one line without markup. */
const oneLine = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(/[<>]/g, '').trim().slice(0, 300)
