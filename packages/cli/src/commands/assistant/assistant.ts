import { Command, InvalidArgumentError } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { openAssistantClient } from './assistant-client.ts'
import { createOpinionsCommand } from './opinions.ts'
import { createTasksCommand } from './tasks.ts'

const HELP = `
Examples:
  steward assistant                                      show its identity and state
  steward assistant traits warmth=80 formality=20
  steward assistant tasks add "every weekday at 9" Stand-up in ten minutes
  steward assistant tasks add "tomorrow at 14:30" --prompt "Three ideas for lunch" --tell
  steward assistant tasks add "0 7 * * 1-5" --flow F_SAMPLE_DIGEST
  steward assistant tasks                                list everything scheduled
  steward assistant tasks history stand-up
  steward assistant diary
  steward assistant opinions
  steward assistant opinions add alerts "One a day is enough."
  steward assistant opinions evidence alerts-one-a-day-is-enough for "Ada said so"

Its files are in USER/ASSISTANT of the data home; see docs/assistant.md.
`

export const createAssistantCommand = (io: Io): Command =>
  new Command('assistant')
    .description('Show your assistant, its tasks, diary and opinions')
    .addCommand(createShowCommand(io), { isDefault: true })
    .addCommand(createTraitsCommand(io))
    .addCommand(createTasksCommand(io))
    .addCommand(createDiaryCommand(io))
    .addCommand(createOpinionsCommand(io))
    .addHelpText('after', HELP)

const createShowCommand = (io: Io): Command =>
  new Command('show')
    .description('Show your assistant and its traits')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const client = await openAssistantClient(io)
      const health = await client.call('getAssistantHealth')
      const identity = await client.call('getAssistantIdentity')
      const { traits } = await client.call('getPersonality')
      if (json) return printJson(io.out, { health, identity, traits })
      const { paint } = io.out
      io.out.write(`${paint.bold(cleanText(identity.display_name))}, ${cleanText(identity.role)}\n`)
      io.out.write(
        `${health.status}${health.reason === undefined ? '' : `: ${cleanText(health.reason)}`}\n`,
      )
      io.out.write(`${health.scheduled_tasks} tasks, ${health.opinions_count} opinions\n`)
      io.out.write(
        formatTable(Object.entries(traits).map(([name, value]) => [name, String(value)])),
      )
    })

const createTraitsCommand = (io: Io): Command =>
  new Command('traits')
    .description('Set traits, 0 to 100')
    .argument('<trait=value...>', 'such as warmth=80', collectTrait)
    .action(async (traits: Record<string, number>) => {
      const client = await openAssistantClient(io)
      const { updated } = await client.call('updateTraits', { body: traits })
      io.out.write(`set ${updated.join(', ')}\n`)
    })

const collectTrait = (
  word: string,
  before: Record<string, number> | undefined,
): Record<string, number> => {
  const [, name, value] = /^([^=]+)=(\d{1,3}(?:\.\d+)?)$/.exec(word) ?? []
  if (name === undefined)
    throw new InvalidArgumentError('It must be a trait and a number: warmth=80.')
  return { ...before, [name]: Number(value) }
}

const createDiaryCommand = (io: Io): Command =>
  new Command('diary')
    .description('Show its diary, newest day first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const client = await openAssistantClient(io)
      const answer = await client.call('listDiary', { query: { limit: 7 } })
      if (json) return printJson(io.out, answer)
      for (const problem of answer.problems) io.err.write(`${cleanText(problem)}\n`)
      if (answer.entries.length === 0)
        io.out.write('no page yet; one is written at the end of each day\n')
      for (const { text } of answer.entries) io.out.write(`${cleanText(text)}\n\n`)
    })
