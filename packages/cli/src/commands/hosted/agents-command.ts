import { Command } from 'commander'
import { parseCount } from '../../input/parse-count.ts'
import type { Io } from '../../io.ts'
import type { AgentFlags } from './command-flags.ts'
import { type TargetFlags, withTarget } from './target.ts'

const HELP = `
Examples:
  steward hosted agents create --name reviewer --model claude-sonnet-5-5 --system @review.md
  steward hosted agents create --name careful --model claude-sonnet-5-5 --ask   asks before each tool
  steward hosted agents create --file agent.yaml      every field of the API, as JSON or YAML
  steward hosted agents update agent_01… --system "Be brief." --version 2
  steward hosted agents show agent_01… --json

A change makes a new version; sessions keep the one they began with.
`

export const createHostedAgentsCommand = (io: Io): Command =>
  new Command('agents')
    .description('Agents: what a session is made from.')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createShowCommand(io))
    .addCommand(createCreateCommand(io))
    .addCommand(createUpdateCommand(io))
    .addCommand(createVersionsCommand(io))
    .addCommand(createArchiveCommand(io))
    .addHelpText('after', HELP)

const load = () => import('./agents.ts')

const withFields = (command: Command): Command =>
  withTarget(command)
    .option('--name <name>', 'its name')
    .option('--model <model>', 'the model that thinks')
    .option('--system <text>', 'its instructions; @file reads a file, - standard input')
    .option('--description <text>', 'what it is for')
    .option('--ask', 'ask before each call of a tool')
    .option('--no-tools', 'without tools')
    .option('--file <file>', 'a JSON or YAML file with the fields of the API')

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('Shows agents.')
    .option('--archived', 'also archived ones')
    .action(async (flags: TargetFlags & { archived?: true }) =>
      (await load()).listAgents(io, flags),
    )

const createShowCommand = (io: Io): Command =>
  withTarget(new Command('show'))
    .description('Shows one agent.')
    .argument('<agent>', 'its id or name')
    .action(async (agent: string, flags: TargetFlags) => (await load()).showAgent(io, agent, flags))

const createCreateCommand = (io: Io): Command =>
  withFields(new Command('create'))
    .description('Makes an agent; with the whole toolset unless told otherwise.')
    .action(async (flags: AgentFlags) => (await load()).createAgent(io, flags))

const createUpdateCommand = (io: Io): Command =>
  withFields(new Command('update'))
    .description('Changes an agent: a new version of it.')
    .argument('<agent>', 'its id or name')
    .option('--version <number>', 'only if this is still its version', parseCount)
    .action(async (agent: string, flags: AgentFlags) =>
      (await load()).updateAgent(io, agent, flags),
    )

const createVersionsCommand = (io: Io): Command =>
  withTarget(new Command('versions'))
    .description('Shows every version that an agent had.')
    .argument('<agent>', 'its id or name')
    .action(async (agent: string, flags: TargetFlags) =>
      (await load()).listVersions(io, agent, flags),
    )

const createArchiveCommand = (io: Io): Command =>
  withTarget(new Command('archive'))
    .description('Archives an agent, for ever: no new session can be made from it.')
    .argument('<agent>', 'its id or name')
    .action(async (agent: string, flags: TargetFlags) =>
      (await load()).archiveAgent(io, agent, flags),
    )
