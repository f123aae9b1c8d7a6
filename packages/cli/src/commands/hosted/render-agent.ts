import { cleanText } from '../../output/clean-text.ts'
import { formatTime } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import type { Agent } from './types.ts'

/** One line per agent. */
export const renderAgents = (agents: readonly Agent[], paint: Paint): string => {
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

export const renderAgent = (agent: Agent, paint: Paint): string => {
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
