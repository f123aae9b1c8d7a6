import { type AttentionAnswer, type AttentionEntry, StewardError } from '@steward/contract'
import { Command, Option } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { openAnswerClient } from './answer-client.ts'
import { createDevicesCommand } from './devices.ts'
import { renderWaiting } from './render-waiting.ts'

const HELP = `
Examples:
  steward answer                              list open requests and how to answer them
  steward answer k3x9 --allow                 allow it once; the start of an id is enough
  steward answer k3x9 --allow --always        as the assistant's own "don't ask again"
  steward answer k3x9 --deny --message "use the test database"
  steward answer k3x9 --choice Blue           choose an option of a question
  steward answer k3x9 --choice "Which colour?=Blue" --choice "Which size?=Large"
  steward answer k3x9 --text "Green, please"  answer a question in your own words
  steward answer k3x9 --field name=Ada        fill in a form
  steward answer devices pair phone           show it on a phone, through your relay
  steward answer devices add phone            let a phone answer by push buttons

The first answer wins, here or in the terminal of the assistant; the other is withdrawn. Without an
answer nothing is allowed: the assistant keeps asking in its terminal. docs/answers.md has more.
`

export const createAnswerCommand = (io: Io): Command =>
  new Command('answer')
    .description('List open requests and answer them')
    .addCommand(createGiveCommand(io), { isDefault: true })
    .addCommand(createDevicesCommand(io))
    .addHelpText('after', HELP)

interface AnswerFlags {
  allow?: true
  deny?: true
  always?: true
  message?: string
  choice?: string[]
  text?: string
  field?: string[]
  json?: true
}

const createGiveCommand = (io: Io): Command =>
  new Command('give')
    .description('Answer a request; without an id, list all')
    .argument('[id]', 'id of the request, or its start')
    .addOption(new Option('--allow', 'permit it, or approve the plan').conflicts('deny'))
    .option('--deny', 'refuse it')
    .option('--always', 'allow and stop asking, as the assistant suggests')
    .option('--message <text>', 'reason of a refusal, for the assistant')
    .option('--choice <option>', 'option of a question, or QUESTION=OPTION', collect)
    .option('--text <text>', 'answer in your own words')
    .option('--field <name=value>', 'field of a form', collect)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (given: string | undefined, flags: AnswerFlags) => {
      const client = await openAnswerClient(io)
      const { waiting } = await client.call('listWaiting')
      const id = given ?? (isAnswer(flags) ? onlyId(waiting) : undefined)
      if (id === undefined) {
        if (flags.json) return printJson(io.out, { waiting })
        return io.out.write(renderWaiting(waiting, io.now(), io.out.paint))
      }
      const entry = findEntry(waiting, id)
      const body = readAnswer(flags, entry)
      const answer = await client.call('answerWaiting', { params: { id: entry?.id ?? id }, body })
      if (flags.json) return printJson(io.out, answer)
      io.out.write(`${cleanText(entry?.name ?? id)} has your answer\n`)
    })

const collect = (value: string, before: string[] = []): string[] => [...before, value]

/** By id or by the start of one; an unknown id is left to the daemon, which says what became of it. */
const findEntry = (waiting: readonly AttentionEntry[], id: string): AttentionEntry | undefined => {
  const exact = waiting.find((entry) => entry.id === id)
  if (exact !== undefined) return exact
  const [first, second] = waiting.filter((entry) => entry.id.startsWith(id))
  if (second === undefined) return first
  const reason = `${first?.id} and ${second.id} both start with ${id}`
  throw new StewardError('invalid_input', { subject: 'id', reason })
}

const isAnswer = ({ allow, deny, choice, text, field }: AnswerFlags): boolean =>
  [allow, deny, choice, text, field].some((part) => part !== undefined)

/** The id may be left out while only one request can be answered. */
const onlyId = (waiting: readonly AttentionEntry[]): string => {
  const [first, second] = waiting.filter(({ answerable }) => answerable)
  if (first !== undefined && second === undefined) return first.id
  const reason =
    first === undefined ? 'nothing can be answered now' : 'several requests wait; name one'
  throw new StewardError('invalid_input', { subject: 'id', reason })
}

const readAnswer = (
  { allow, deny, always, message, choice, text, field }: AnswerFlags,
  entry: AttentionEntry | undefined,
): AttentionAnswer => {
  const given = [allow, deny, choice, text, field].filter((part) => part !== undefined)
  if (given.length !== 1) {
    const reason = 'give one of: --allow, --deny, --choice, --text, --field'
    throw new StewardError('invalid_input', { subject: 'answer', reason })
  }
  if (choice !== undefined) return { choice: readChoice(choice, entry) }
  if (text !== undefined) return { text }
  if (field !== undefined) return { content: readFields(field, entry) }
  return {
    decision: allow ? 'allow' : 'deny',
    ...(always ? { scope: 'always' } : {}),
    ...(message === undefined ? {} : { message }),
  }
}

type Choice = Extract<AttentionAnswer, { choice: unknown }>['choice']

/** `QUESTION=OPTION` where the request has several questions. */
const readChoice = (given: readonly string[], entry: AttentionEntry | undefined): Choice => {
  const questions = entry?.answer.where === 'here' ? entry.answer.questions : []
  const [first, ...more] = given
  if (questions.length < 2) return more.length === 0 && first !== undefined ? first : [...given]
  const byQuestion: Record<string, string[]> = {}
  for (const word of given) {
    const asked = questions.find(({ question }) => word.startsWith(`${question}=`))
    if (asked === undefined) {
      const reason = `"${word}" names no question; write QUESTION=OPTION`
      throw new StewardError('invalid_input', { subject: '--choice', reason })
    }
    const chosen = word.slice(asked.question.length + 1)
    byQuestion[asked.question] = [...(byQuestion[asked.question] ?? []), chosen]
  }
  return byQuestion
}

type Content = Extract<AttentionAnswer, { content: unknown }>['content']

const readFields = (given: readonly string[], entry: AttentionEntry | undefined): Content => {
  const fields = entry?.answer.where === 'here' ? entry.answer.fields : []
  return Object.fromEntries(
    given.map((word) => {
      const [, name = '', value = ''] = /^([^=]+)=([\s\S]*)$/.exec(word) ?? []
      const type = fields.find((field) => field.name === name)?.type
      if (type === 'number') return [name, Number(value)]
      if (type === 'boolean') return [name, value === 'true' || value === 'yes']
      return [name, value]
    }),
  )
}
