import type Anthropic from '@anthropic-ai/sdk'
import { isJsonObject, StewardError } from '@steward/contract'
import { Command } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import { readTextFile } from '../../input/read-text-file.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findAgent } from './agents.ts'
import { createDeploymentWebhookCommand } from './deployment-webhook.ts'
import { findEnvironment } from './environments.ts'
import { findByName } from './find-by-name.ts'
import { gather } from './gather.ts'
import { budgetOf, parseDollars } from './money.ts'
import { readDefinition, requireFields } from './read-definition.ts'
import { messageOf } from './sent-events.ts'
import { showAnswer } from './show-answer.ts'
import { type TargetFlags, withTarget } from './target.ts'
import type { HostedClient } from './types.ts'

type Deployment = Anthropic.Beta.BetaManagedAgentsDeployment
type DeploymentRun = Anthropic.Beta.BetaManagedAgentsDeploymentRun
type NewDeployment = Anthropic.Beta.DeploymentCreateParams

interface CreateFlags extends TargetFlags {
  name?: string
  agent?: string
  environment?: string
  message?: string
  cron?: string
  timezone: string
  budget?: string
  file?: string
}

const HELP = `
Examples:
  steward hosted deployments create --name report --agent writer --environment office \\
    --message @report.md --cron "0 3 * * 1-5" --timezone Europe/Berlin
  steward hosted deployments run report            now
  steward hosted deployments runs report           each run with its session, or why it failed
  steward hosted deployments pause report
  steward hosted deployments webhook report        a secret for requests that run it
`

export const createHostedDeploymentsCommand = (io: Io): Command =>
  new Command('deployments')
    .description('Run agents by schedule, by hand and by webhook')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createShowCommand(io))
    .addCommand(createCreateCommand(io))
    .addCommand(createRunCommand(io))
    .addCommand(createRunsCommand(io))
    .addCommand(createChangeCommand(io, 'pause', 'Pause the schedule'))
    .addCommand(createChangeCommand(io, 'unpause', 'Continue the schedule with its next time'))
    .addCommand(createChangeCommand(io, 'archive', 'Archive a deployment; no more runs'))
    .addCommand(createDeploymentWebhookCommand(io))
    .addHelpText('after', HELP)

/** The id of a deployment by its id or its name. */
const findDeployment = (client: HostedClient, word: string): Promise<string> =>
  findByName('deployment', word, 'depl_', () => client.beta.deployments.list())

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('List deployments')
    .option('--archived', 'also archived ones')
    .action((flags: TargetFlags & { archived?: true }) => {
      const include_archived = flags.archived === true
      const list = (client: HostedClient) =>
        gather(client.beta.deployments.list({ include_archived }))
      return showAnswer(io, flags, list, (found) =>
        found.length === 0
          ? `none yet: ${COMMAND} hosted deployments create\n`
          : formatTable(found.map((each) => [each.id, describe(each), cleanText(each.name)])),
      )
    })

const createShowCommand = (io: Io): Command =>
  withTarget(new Command('show'))
    .description('Show a deployment')
    .argument('<deployment>', 'its id or name')
    .action((word: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) => client.beta.deployments.retrieve(await findDeployment(client, word)),
        render,
      ),
    )

const createCreateCommand = (io: Io): Command =>
  withTarget(new Command('create'))
    .description('Create a deployment, with or without a schedule')
    .option('--name <name>', 'its name')
    .option('--agent <agent>', 'its agent: id or name, in its current version')
    .option('--environment <environment>', 'its environment: id or name')
    .option('--message <text>', 'the first message of each session; @file reads a file')
    .option('--cron <expression>', 'minute, hour, day, month, day of week')
    .option('--timezone <zone>', 'time zone of the schedule, such as Europe/Berlin', 'UTC')
    .option('--budget <dollars>', 'the cost limit of each session', parseDollars)
    .option('--file <file>', 'a JSON or YAML file with the fields of the API')
    .action((flags: CreateFlags) =>
      showAnswer(
        io,
        flags,
        async (client) => client.beta.deployments.create(await readFields(io, client, flags)),
        render,
      ),
    )

const createRunCommand = (io: Io): Command =>
  withTarget(new Command('run'))
    .description('Run a deployment now')
    .argument('<deployment>', 'its id or name')
    .action(async (word: string, flags: TargetFlags) => {
      const run = async (client: HostedClient) =>
        client.beta.deployments.run(await findDeployment(client, word))
      await showAnswer(
        io,
        flags,
        async (client) => {
          const made = await run(client)
          if (made.error !== null) io.exitCode = 1
          return made
        },
        (made) => renderRuns([made]),
      )
    })

const createRunsCommand = (io: Io): Command =>
  withTarget(new Command('runs'))
    .description('List runs, newest first')
    .argument('[deployment]', 'its id or name')
    .option('--limit <count>', 'maximum number of entries', parseCount, 20)
    .action((word: string | undefined, flags: TargetFlags & { limit: number }) =>
      showAnswer(
        io,
        flags,
        async (client) => {
          const only =
            word === undefined ? {} : { deployment_id: await findDeployment(client, word) }
          return gather(client.beta.deploymentRuns.list(only), flags.limit)
        },
        (runs) => (runs.length === 0 ? 'none yet\n' : renderRuns(runs)),
      ),
    )

const createChangeCommand = (
  io: Io,
  how: 'pause' | 'unpause' | 'archive',
  description: string,
): Command =>
  withTarget(new Command(how))
    .description(description)
    .argument('<deployment>', 'its id or name')
    .action((word: string, flags: TargetFlags) =>
      showAnswer(
        io,
        flags,
        async (client) => client.beta.deployments[how](await findDeployment(client, word)),
        render,
      ),
    )

const readFields = async (
  io: Io,
  client: HostedClient,
  flags: CreateFlags,
): Promise<NewDeployment> => {
  const { name, agent, environment, message, cron, timezone, budget } = flags
  const text = message?.startsWith('@') ? await readTextFile(message.slice(1), io.cwd) : message
  const body = await readDefinition(io, flags.file, {
    name,
    agent: agent === undefined ? undefined : await findAgent(client, agent),
    environment_id:
      environment === undefined ? undefined : await findEnvironment(client, environment),
    initial_events: text === undefined ? undefined : [messageOf(text)],
    schedule: cron === undefined ? undefined : { type: 'cron', expression: cron, timezone },
    budget: budget === undefined ? undefined : budgetOf(budget),
  })
  requireFields(body, {
    name: '--name',
    agent: '--agent',
    environment_id: '--environment',
    initial_events: '--message',
  })
  if (!isNewDeployment(body))
    throw new StewardError('invalid_input', { subject: 'name', reason: 'it must be text' })
  return body
}

const isNewDeployment = (body: object): body is NewDeployment =>
  isJsonObject(body) && typeof body.name === 'string'

const describe = ({ archived_at, status, schedule }: Deployment): string => {
  if (archived_at !== null) return 'archived'
  if (status === 'paused') return 'paused'
  const next = schedule?.upcoming_runs_at?.[0]
  return next === undefined ? 'by hand' : `next ${formatTime(next)}`
}

const render = (deployment: Deployment): string => {
  const { id, name, agent, environment_id, schedule, paused_reason } = deployment
  const paused =
    paused_reason?.type === 'error' ? `paused: ${paused_reason.error.type}` : describe(deployment)
  return formatTable([
    ['deployment', id],
    ['name', cleanText(name)],
    ['agent', `${agent.id} version ${agent.version}`],
    ['environment', environment_id],
    ['schedule', schedule === null ? 'none' : `${schedule.expression} ${schedule.timezone}`],
    ['state', paused],
  ])
}

const renderRuns = (runs: readonly DeploymentRun[]): string =>
  formatTable(
    runs.map((run) => [
      run.id,
      formatTime(run.created_at),
      run.trigger_context.type,
      run.session_id ?? cleanText(run.error?.message ?? ''),
    ]),
  )
