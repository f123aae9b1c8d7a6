import { HOSTED_SESSION_STATUSES } from '@steward/contract'
import { Command, InvalidArgumentError, Option } from 'commander'
import { collectOption, parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { parseDollars } from './money.ts'
import type { LogFlags, SessionFlags, SessionListFlags } from './session-requests.ts'
import { type TargetFlags, withTarget } from './target.ts'

const HELP = `
Examples:
  steward hosted sessions                                      list the latest with their cost
  steward hosted sessions create --agent reviewer --environment docs --budget 2.50
  steward hosted sessions create --file session.yaml           every field of the API
  steward hosted sessions show sesn_01…                        status, cost, budget, pending calls
  steward hosted sessions log sesn_01…                         all its events
`

const DEFAULT_LIMIT = 20
const DEFAULT_LOG = 1000

export const createHostedSessionsCommand = (io: Io): Command =>
  new Command('sessions')
    .description('Manage sessions and show their cost')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createShowCommand(io))
    .addCommand(createLogCommand(io))
    .addCommand(createCreateCommand(io))
    .addCommand(createUpdateCommand(io))
    .addCommand(createEndCommand(io, 'archive', 'Archive a session; it becomes read-only'))
    .addCommand(createEndCommand(io, 'delete', 'Delete a session, its log and its workspace'))
    .addHelpText('after', HELP)

const load = () => import('./session-requests.ts')

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('List sessions, the latest first')
    .option('--agent <agent>', 'only those of this agent, by id or name')
    .addOption(new Option('--status <status>', 'only these').choices(HOSTED_SESSION_STATUSES))
    .option('--archived', 'also archived ones')
    .option('--limit <count>', 'maximum number of entries', parseCount, DEFAULT_LIMIT)
    .action(async (flags: SessionListFlags) => (await load()).listSessions(io, flags))

const createShowCommand = (io: Io): Command =>
  withTarget(new Command('show'))
    .description('Show the status, cost, budget and pending calls')
    .argument('<session>', 'its id')
    .action(async (id: string, flags: TargetFlags) => (await load()).showSession(io, id, flags))

const createLogCommand = (io: Io): Command =>
  withTarget(new Command('log'))
    .description('Show the events of a session from its beginning')
    .argument('<session>', 'its id')
    .option('--type <type>', 'only events of this type; repeatable', collectOption)
    .option('--limit <count>', 'maximum number of entries', parseCount, DEFAULT_LOG)
    .action(async (id: string, flags: LogFlags) => (await load()).showLog(io, id, flags))

const createCreateCommand = (io: Io): Command =>
  withTarget(new Command('create'))
    .description('Create a session of an agent in an environment')
    .option('--agent <agent>', 'by id or name')
    .option('--environment <environment>', 'by id or name')
    .option('--title <title>', 'its topic')
    .option('--budget <dollars>', 'its cost limit', parseDollars)
    .option('--vault <id>', 'a vault whose credentials it may use; repeatable', collectOption)
    .option('--message <text>', 'a first message; @file reads a file, - standard input')
    .option('--file <file>', 'a JSON or YAML file with the fields of the API')
    .action(async (flags: SessionFlags) => (await load()).createSession(io, flags))

const createUpdateCommand = (io: Io): Command =>
  withTarget(new Command('update'))
    .description('Update the title or budget of a session')
    .argument('<session>', 'its id')
    .option('--title <title>', 'its topic')
    .option('--budget <dollars>', 'a higher budget, or none', parseBudget)
    .option('--file <file>', 'a JSON or YAML file with the fields of the API')
    .action(async (id: string, flags: SessionFlags) => (await load()).updateSession(io, id, flags))

const createEndCommand = (io: Io, how: 'archive' | 'delete', description: string): Command =>
  withTarget(new Command(how))
    .description(description)
    .argument('<session>', 'its id')
    .action(async (id: string, flags: TargetFlags) => (await load()).endSession(io, how, id, flags))

const parseBudget = (text: string): string => {
  if (text === 'none') return text
  try {
    return parseDollars(text)
  } catch {
    throw new InvalidArgumentError('It must be dollars, such as 2.50, or none.')
  }
}
