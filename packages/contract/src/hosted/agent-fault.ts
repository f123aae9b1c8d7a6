import type { Issue } from '../issues.ts'
import type { AgentBlueprint } from './agent-blueprint.ts'
import { findMetadataFault } from './metadata.ts'
import { settingOfTool } from './resolve-tools.ts'
import type { AgentTool } from './tools.ts'
import { TOOLSET_TOOLS, type ToolConfig } from './toolset.ts'

type Parts = Pick<AgentBlueprint, 'tools' | 'mcp_servers'> & {
  metadata?: AgentBlueprint['metadata']
}

/**
 * Finds a combination of individually valid fields that is invalid: after a create, an update or
 * overrides.
 */
export const findAgentFault = ({ tools, mcp_servers, metadata }: Parts): Issue | undefined => {
  const toolsFault = findToolsFault(tools)
  if (toolsFault) return { path: 'tools', message: toolsFault }
  const names = mcp_servers.map(({ name }) => name)
  const twice = findTwice(names)
  if (twice !== undefined)
    return { path: 'mcp_servers', message: `the name ${twice} is used twice` }
  const used = tools.flatMap((tool) => (tool.type === 'mcp_toolset' ? [tool.mcp_server_name] : []))
  const unused = names.find((name) => !used.includes(name))
  if (unused !== undefined) {
    return { path: 'mcp_servers', message: `no mcp_toolset in tools uses the server ${unused}` }
  }
  const missing = used.find((name) => !names.includes(name))
  if (missing !== undefined) {
    return { path: 'tools', message: `there is no server ${missing} in mcp_servers` }
  }
  const metadataFault = metadata && findMetadataFault(metadata)
  return metadataFault ? { path: 'metadata', message: metadataFault } : undefined
}

const findToolsFault = (tools: readonly AgentTool[]): string | undefined => {
  const toolsets = tools.filter((tool) => tool.type === 'agent_toolset_20260401')
  if (toolsets.length > 1) return 'agent_toolset_20260401 is listed twice'
  const servers = tools.flatMap((tool) =>
    tool.type === 'mcp_toolset' ? [tool.mcp_server_name] : [],
  )
  const server = findTwice(servers)
  if (server !== undefined) return `the server ${server} has two toolsets`
  for (const tool of tools) {
    const config =
      tool.type === 'custom' ? undefined : findTwice(tool.configs.map((each) => each.name))
    if (config !== undefined) return `${tool.type} configures ${config} twice`
  }
  if (toolsets.some(({ configs }) => configs.some(limitsSources))) return LIMITED_SOURCES
  // Models require unique tool names.
  const enabled = toolsets.flatMap((toolset) =>
    TOOLSET_TOOLS.filter((name) => settingOfTool(toolset, name).enabled),
  )
  const custom = tools.flatMap((tool) => (tool.type === 'custom' ? [tool.name] : []))
  const name = findTwice([...enabled, ...custom])
  return name === undefined ? undefined : `two tools are named ${name}`
}

const LIMITED_SOURCES =
  'url_sources of web_fetch cannot be limited here: leave it out or allow all, and limit where it goes with allowed_domains or blocked_domains'

/** Refuse limits that nothing would enforce. */
const limitsSources = (config: ToolConfig): boolean =>
  config.name === 'web_fetch' &&
  Object.values(config.url_sources ?? {}).some((source) => source !== null && source.type !== 'all')

const findTwice = (names: readonly string[]): string | undefined =>
  names.find((name, index) => names.indexOf(name) !== index)
