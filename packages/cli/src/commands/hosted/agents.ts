import { isFields, StewardError } from '@steward/contract'
import { readBodyOption } from '../../input/read-body-option.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'
import type { AgentFlags } from './command-flags.ts'
import { findByName } from './find-by-name.ts'
import { gather } from './gather.ts'
import { readDefinition, requireFields } from './read-definition.ts'
import { renderAgent, renderAgents } from './render-agent.ts'
import type { TargetFlags } from './target.ts'
import type { Agent, AgentChange, HostedClient, NewAgent } from './types.ts'
import { withServer } from './with-server.ts'

export const listAgents = (io: Io, flags: TargetFlags & { archived?: true }): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const include_archived = flags.archived === true
    const agents = await gather(client.beta.agents.list({ include_archived }))
    if (flags.json) printJson(io.out, agents)
    else io.out.write(renderAgents(agents, io.out.paint))
  })

export const showAgent = (io: Io, word: string, flags: TargetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const agent = await client.beta.agents.retrieve(await findAgent(client, word))
    if (flags.json) printJson(io.out, agent)
    else io.out.write(renderAgent(agent, io.out.paint))
  })

export const createAgent = (io: Io, flags: AgentFlags): Promise<void> =>
  withServer(io, flags, async ({ client, suffix }) => {
    const body = await readFields(io, flags)
    // A file says all there is; flags alone mean the agent that people expect.
    if (flags.file === undefined && body.tools === undefined) body.tools = toolset(false)
    requireFields(body, { name: '--name', model: '--model' })
    if (!isNewAgent(body)) throw unreadable()
    const agent = await client.beta.agents.create(body)
    if (flags.json) printJson(io.out, agent)
    else {
      io.out.write(`${agent.id} (${cleanText(agent.name)}) is made\n`)
      io.err.write(`next: ${COMMAND} hosted sessions create --agent ${agent.id}${suffix}\n`)
    }
  })

export const updateAgent = (io: Io, word: string, flags: AgentFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const body = { ...(await readFields(io, flags)), version: flags.version }
    const change = isAgentChange(body) ? body : {}
    const agent = await client.beta.agents.update(await findAgent(client, word), change)
    reportVersion(io, agent, flags)
  })

export const listVersions = (io: Io, word: string, flags: TargetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const id = await findAgent(client, word)
    const versions = await gather(client.beta.agents.versions.list(id))
    if (flags.json) printJson(io.out, versions)
    else io.out.write(renderAgents(versions, io.out.paint))
  })

export const archiveAgent = (io: Io, word: string, flags: TargetFlags): Promise<void> =>
  withServer(io, flags, async ({ client }) => {
    const agent = await client.beta.agents.archive(await findAgent(client, word))
    if (flags.json) printJson(io.out, agent)
    else io.out.write(`${agent.id} (${cleanText(agent.name)}) is archived\n`)
  })

/** The id of an agent by its id or its name. */
export const findAgent = (client: HostedClient, word: string): Promise<string> =>
  findByName('agent', word, 'agent_', () => client.beta.agents.list())

/** The whole toolset; with `asks` a person is asked before each call. */
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
  isFields(body) && typeof body.name === 'string' && body.model !== undefined

const isAgentChange = (body: object): body is AgentChange => isFields(body)

const unreadable = (): StewardError =>
  new StewardError('invalid_input', { subject: 'name', reason: 'it must be text', field: 'name' })
