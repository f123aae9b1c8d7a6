import { isJsonObject, StewardError } from '@steward/contract'
import { Command } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import { readBodyOption } from '../../input/read-body-option.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { findByName } from './find-by-name.ts'
import { gather } from './gather.ts'
import { readDefinition, requireFields } from './read-definition.ts'
import { type TargetFlags, withTarget } from './target.ts'
import type { Agent, AgentChange, HostedClient, NewAgent } from './types.ts'
import { withServer } from './with-server.ts'

interface AgentFlags extends TargetFlags {
  name?: string
  model?: string
  system?: string
  description?: string
  ask?: true
  tools?: boolean
  file?: string
  version?: number
}

const HELP = `
Examples:
  steward hosted agents create --name reviewer --model claude-sonnet-5-5 --system @review.md
  steward hosted agents create --name careful --model claude-sonnet-5-5 --ask   asks before each tool
  steward hosted agents create --file agent.yaml      every field of the API, as JSON or YAML
  steward hosted agents update agent_01… --system "Be brief." --version 2
  steward hosted agents show agent_01… --json

A change creates a new version; sessions keep the version that they started with.
`

export const createHostedAgentsCommand = (io: Io): Command =>
  new Command('agents')
    .description('Manage the agents that sessions are created from')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createShowCommand(io))
    .addCommand(createCreateCommand(io))
    .addCommand(createUpdateCommand(io))
    .addCommand(createVersionsCommand(io))
    .addCommand(createArchiveCommand(io))
    .addHelpText('after', HELP)

const withFields = (command: Command): Command =>
  withTarget(command)
    .option('--name <name>', 'its name')
    .option('--model <model>', 'the model')
    .option('--system <text>', 'its instructions; @file reads a file, - standard input')
    .option('--description <text>', 'its purpose')
    .option('--ask', 'ask before each tool call')
    .option('--no-tools', 'without tools')
    .option('--file <file>', 'a JSON or YAML file with the fields of the API')

const createListCommand = (io: Io): Command =>
  withTarget(new Command('list'))
    .description('List agents')
    .option('--archived', 'also archived ones')
    .action((flags: TargetFlags & { archived?: true }) => listAgents(io, flags))

const createShowCommand = (io: Io): Command =>
  withTarget(new Command('show'))
    .description('Show an agent')
    .argument('<agent>', 'its id or name')
    .action((agent: string, flags: TargetFlags) => showAgent(io, agent, flags))

const createCreateCommand = (io: Io): Command =>
  withFields(new Command('create'))
    .description('Create an agent, by default with all tools')
    .action((flags: AgentFlags) => createAgent(io, flags))

const createUpdateCommand = (io: Io): Command =>
  withFields(new Command('update'))
    .description('Update an agent; creates a new version')
    .argument('<agent>', 'its id or name')
    .option('--version <number>', 'only if this is still its version', parseCount)
    .action((agent: string, flags: AgentFlags) => updateAgent(io, agent, flags))

const createVersionsCommand = (io: Io): Command =>
  withTarget(new Command('versions'))
    .description('List the versions of an agent')
    .argument('<agent>', 'its id or name')
    .action((agent: string, flags: TargetFlags) => listVersions(io, agent, flags))

const createArchiveCommand = (io: Io): Command =>
  withTarget(new Command('archive'))
    .description('Archive an agent permanently; no new sessions')
    .argument('<agent>', 'its id or name')
    .action((agent: string, flags: TargetFlags) => archiveAgent(io, agent, flags))

const listAgents = (io: Io, flags: TargetFlags & { archived?: true }): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const include_archived = flags.archived === true
    const agents = await gather(client.beta.agents.list({ include_archived }))
    if (flags.json) printJson(io.out, agents)
    else io.out.write(renderAgents(agents, io.out.paint))
  })

const showAgent = (io: Io, word: string, flags: TargetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const agent = await client.beta.agents.retrieve(await findAgent(client, word))
    if (flags.json) printJson(io.out, agent)
    else io.out.write(renderAgent(agent, io.out.paint))
  })

const createAgent = (io: Io, flags: AgentFlags): Promise<void> =>
  withServer(io, flags, async ({ client, suffix }) => {
    const body = await readFields(io, flags)
    // A file is complete; flags alone create an agent with the default toolset.
    if (flags.file === undefined && body.tools === undefined) body.tools = toolset(false)
    requireFields(body, { name: '--name', model: '--model' })
    if (!isNewAgent(body)) throw unreadable()
    const agent = await client.beta.agents.create(body)
    if (flags.json) printJson(io.out, agent)
    else {
      io.out.write(`${agent.id} (${cleanText(agent.name)}) is created\n`)
      const { data } = await client.beta.environments.list({ limit: 1 })
      const [environment] = data
      const next =
        environment === undefined
          ? 'environments create --name work'
          : `sessions create --agent ${agent.id} --environment ${environment.id}`
      io.err.write(`next: ${COMMAND} hosted ${next}${suffix}\n`)
    }
  })

const updateAgent = (io: Io, word: string, flags: AgentFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const body = { ...(await readFields(io, flags)), version: flags.version }
    const change = isAgentChange(body) ? body : {}
    const agent = await client.beta.agents.update(await findAgent(client, word), change)
    reportVersion(io, agent, flags)
  })

const listVersions = (io: Io, word: string, flags: TargetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const id = await findAgent(client, word)
    const versions = await gather(client.beta.agents.versions.list(id))
    if (flags.json) printJson(io.out, versions)
    else io.out.write(renderAgents(versions, io.out.paint))
  })

const archiveAgent = (io: Io, word: string, flags: TargetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const agent = await client.beta.agents.archive(await findAgent(client, word))
    if (flags.json) printJson(io.out, agent)
    else io.out.write(`${agent.id} (${cleanText(agent.name)}) is archived\n`)
  })

/** The id of an agent by its id or its name. */
export const findAgent = (client: HostedClient, word: string): Promise<string> =>
  findByName('agent', word, 'agent_', () => client.beta.agents.list())

/** The whole toolset; with `asks` each call needs approval. */
export const toolset = (asks: boolean) => [
  {
    type: 'agent_toolset_20260401' as const,
    default_config: {
      permission_policy: { type: asks ? ('always_ask' as const) : ('always_allow' as const) },
    },
  },
]

const readFields = async (io: Io, flags: AgentFlags): Promise<Record<string, unknown>> => {
  const { body: system } = await readBodyOption(io, flags.system)
  const { name, model, description } = flags
  const tools = flags.tools === false ? [] : flags.ask ? toolset(true) : undefined
  return readDefinition(io, flags.file, { name, model, system, description, tools })
}

const reportVersion = (io: Io, agent: Agent, { json }: AgentFlags): void => {
  if (json) printJson(io.out, agent)
  else io.out.write(`${agent.id} (${cleanText(agent.name)}) is at version ${agent.version}\n`)
}

const isNewAgent = (body: object): body is NewAgent =>
  isJsonObject(body) && typeof body.name === 'string' && body.model !== undefined

const isAgentChange = (body: object): body is AgentChange => isJsonObject(body)

const unreadable = (): StewardError =>
  new StewardError('invalid_input', { subject: 'name', reason: 'it must be text', field: 'name' })

/** One line per agent. */
const renderAgents = (agents: readonly Agent[], paint: Paint): string => {
  if (agents.length === 0) return `none yet: ${COMMAND} hosted init creates a first one\n`
  return formatTable(
    agents.map((agent) => [
      agent.id,
      `v${agent.version}`,
      agent.archived_at === null ? cleanText(agent.model.id) : paint.dim('archived'),
      formatTime(agent.updated_at),
      cleanText(agent.name),
    ]),
  )
}

const renderAgent = (agent: Agent, paint: Paint): string => {
  const rows = [
    ['model', cleanText(agent.model.id)],
    ['version', String(agent.version)],
    ['updated', formatTime(agent.updated_at)],
    ...(agent.archived_at === null ? [] : [['archived', formatTime(agent.archived_at)]]),
    ...(agent.description === null ? [] : [['for', cleanText(agent.description)]]),
    ...agent.tools.map((tool) => ['tools', describeTool(tool)]),
    ...agent.mcp_servers.map(({ name, url }) => ['server', cleanText(`${name} ${url}`)]),
  ]
  const system = agent.system === null ? '' : `\n${cleanText(agent.system).trimEnd()}\n`
  return `${paint.bold(agent.id)}  ${cleanText(agent.name)}\n${formatTable(rows)}${system}`
}

const describeTool = (tool: Agent['tools'][number]): string => {
  if (tool.type === 'custom') return cleanText(`${tool.name} (answered by a client)`)
  const policy = tool.default_config.permission_policy.type
  const off = tool.configs.filter(({ enabled }) => !enabled).map(({ name }) => name)
  const without = off.length === 0 ? '' : `, without ${off.join(', ')}`
  const name = tool.type === 'mcp_toolset' ? `server ${tool.mcp_server_name}` : 'toolset'
  return cleanText(`${name}, ${policy}${without}`)
}
