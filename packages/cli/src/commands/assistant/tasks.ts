import { readFileSync } from 'node:fs'
import { StewardError, type TaskRow, taskAction } from '@steward/contract'
import { Command, Option } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { openAssistantClient } from './assistant-client.ts'

interface AddFlags {
  prompt?: string
  flow?: string
  script?: true
  channel?: string
  description?: string
  timezone?: string
  catchUp?: 'once' | 'all' | 'skip'
  onInterrupted?: 'retry' | 'skip'
  tell?: true
  dryRun?: true
  json?: true
}

export const createTasksCommand = (io: Io): Command =>
  new Command('tasks')
    .description('List, add, approve and cancel tasks')
    .addCommand(createScheduleListCommand(io, 'list'), { isDefault: true })
    .addCommand(createAddCommand(io))
    .addCommand(createApproveCommand(io))
    .addCommand(createCancelCommand(io))
    .addCommand(createHistoryCommand(io))

/** One list of everything scheduled, also as `steward schedule`. */
export const createScheduleListCommand = (io: Io, name: string): Command =>
  new Command(name)
    .description('List everything scheduled: flows, tasks, crons')
    .option('--all', 'include finished tasks')
    .option('--json', 'print JSON')
    .action(async ({ all = false, json }: { all?: boolean; json?: true }) => {
      const query = all ? { all: 'true' } : {}
      const answer = await (await openAssistantClient(io)).call('listTasks', { query })
      if (json) return printJson(io.out, answer)
      for (const problem of answer.problems) {
        io.err.write(`${io.err.paint.yellow('warning')}: ${cleanText(problem)}\n`)
      }
      const rows = answer.tasks.map(({ name, schedule, status, source, next, details }) => [
        details?.id ?? source,
        status,
        next ?? '-',
        describeLast(details),
        schedule,
        cleanText(name),
      ])
      io.out.write(formatTable([['ID', 'STATUS', 'NEXT', 'LAST', 'SCHEDULE', 'WHAT'], ...rows]))
    })

const describeLast = (details: TaskRow['details']): string => {
  const { last_fired, last_state } = details ?? {}
  if (last_fired === undefined || last_fired === null) return '-'
  return last_state === undefined ? last_fired : `${last_fired} ${last_state}`
}

const createAddCommand = (io: Io): Command =>
  new Command('add')
    .description('Add a task and show how it was understood')
    .argument(
      '<when>',
      '"every weekday at 9", "tomorrow at 14:30", "in 20 minutes", a cron expression',
    )
    .argument('[words...]', 'the notification text; with --script the program and its arguments')
    .option('--prompt <text>', 'ask a model this instead of sending a notification')
    .option('--flow <name>', 'run this flow')
    .option('--script', 'run the arguments as a program in the sandbox')
    .option('--tell', 'notify you of the result of a prompt or script')
    .addOption(
      new Option('--channel <name>', 'the notification channel').choices([
        'push',
        'chat',
        'desktop',
        'email',
      ]),
    )
    .option('--description <text>', 'its name')
    .option('--timezone <zone>', 'such as Europe/Berlin')
    .addOption(new Option('--catch-up <how>', 'missed firings').choices(['once', 'all', 'skip']))
    .addOption(new Option('--on-interrupted <how>', 'after a crash').choices(['retry', 'skip']))
    .option('--dry-run', 'only show how it would be understood')
    .option('--json', 'print JSON')
    .action(async (when: string, words: string[], flags: AddFlags) => {
      const action = readAction(words, flags)
      const { description, timezone, catchUp, onInterrupted, dryRun, json } = flags
      const answer = await (await openAssistantClient(io)).call('createTask', {
        body: {
          description: description ?? (flags.prompt ?? flags.flow ?? words.join(' ')).slice(0, 200),
          schedule: when,
          action,
          ...(timezone === undefined ? {} : { timezone }),
          ...(catchUp === undefined ? {} : { catchUp }),
          ...(onInterrupted === undefined ? {} : { onInterrupted }),
          ...(dryRun === undefined ? {} : { dryRun }),
        },
      })
      if (json) return printJson(io.out, answer)
      const { id, understood, next, requires_confirmation } = answer
      io.out.write(`${dryRun ? 'would be' : id}: ${understood} (${answer.timezone})\n`)
      for (const time of next) io.out.write(`  ${time}\n`)
      if (requires_confirmation) io.out.write(`waits for: steward assistant tasks approve ${id}\n`)
    })

const readAction = (words: readonly string[], flags: AddFlags) => {
  const { prompt, flow, script, channel, tell = false } = flags
  const given = [prompt, flow, script].filter((each) => each !== undefined)
  const wrong = (reason: string) =>
    new StewardError('invalid_input', { subject: 'steward assistant tasks add', reason })
  if (given.length > 1) throw wrong('use only one of --prompt, --flow and --script')
  const message = words.join(' ')
  if (given.length === 0 && message.trim() === '') throw wrong('give the notification text')
  const action =
    prompt !== undefined
      ? {
          type: 'prompt',
          prompt: prompt.startsWith('@') ? readPrompt(prompt.slice(1)) : prompt,
          notify: tell,
        }
      : flow !== undefined
        ? { type: 'flow', flow }
        : script
          ? { type: 'script', command: words, notify: tell }
          : { type: 'notify', message, ...(channel === undefined ? {} : { channel }) }
  const parsed = taskAction.safeParse(action)
  if (parsed.success) return parsed.data
  throw wrong(parsed.error.issues.map(({ message: reason }) => reason).join('; '))
}

const readPrompt = (path: string): string => readFileSync(path, 'utf8')

const createApproveCommand = (io: Io): Command =>
  new Command('approve')
    .description('Approve a task that waits for permission')
    .argument('<id>', 'its id, or a prefix of it')
    .action(async (id: string) => {
      const client = await openAssistantClient(io)
      const answer = await client.call('approveTask', { params: { id }, body: {} })
      io.out.write(`${answer.id}: ${answer.status}\n`)
    })

const createCancelCommand = (io: Io): Command =>
  new Command('cancel')
    .description('Cancel a task; keeps its history')
    .argument('<id>', 'its id, or a prefix of it')
    .action(async (id: string) => {
      const client = await openAssistantClient(io)
      const { cancelled } = await client.call('cancelTask', { params: { id } })
      io.out.write(`cancelled ${cancelled}\n`)
    })

const createHistoryCommand = (io: Io): Command =>
  new Command('history')
    .description('Show the past firings of a task, newest first')
    .argument('<id>', 'its id, or a prefix of it')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const client = await openAssistantClient(io)
      const answer = await client.call('getTaskHistory', { params: { id }, query: {} })
      if (json) return printJson(io.out, answer)
      const rows = answer.firings.map(({ due, state, attempts, detail }) => [
        due,
        state,
        String(attempts),
        cleanText((detail ?? '').replace(/\s+/g, ' ')).slice(0, 120),
      ])
      io.out.write(formatTable([['DUE', 'STATE', 'ATTEMPTS', 'DETAIL'], ...rows]))
    })
