import {
  HOSTED_LIMITS,
  type PermissionPolicy,
  TOOLSET_TOOLS,
  type ToolsetTool,
} from '@steward/contract'
import type { SessionBody } from '../../log/session-body.ts'
import type { McpTool } from '../mcp/mcp.ts'
import { type OfferedTool, offerTools } from '../mcp/offer-tools.ts'
import type { ModelTool } from '../models/model.ts'
import { delegationTools } from './delegation-tools.ts'
import { TOOLSET } from './toolset-tools.ts'

type Agent = SessionBody['agent']

/** A tool that the agent has. */
export type AgentsTool =
  | {
      type: 'toolset'
      name: ToolsetTool
      policy: PermissionPolicy
      config: Readonly<Record<string, unknown>>
      shown: ModelTool
    }
  | { type: 'custom'; name: string; shown: ModelTool }
  | { type: 'delegation'; name: string; shown: ModelTool }
  | OfferedTool

/** The tools of an agent, in its order. If two share a name, the first wins. */
export const listTools = (
  agent: Agent,
  toolsOf: (mcpServer: string) => readonly McpTool[],
): readonly AgentsTool[] => {
  const named = new Map<string, AgentsTool>()
  for (const tool of expandTools(agent, toolsOf))
    if (!named.has(tool.name)) named.set(tool.name, tool)
  return [...named.values()].slice(0, HOSTED_LIMITS.tools)
}

const expandTools = (
  agent: Agent,
  toolsOf: (mcpServer: string) => readonly McpTool[],
): readonly AgentsTool[] => [
  ...(agent.multiagent === null ? [] : delegationTools).map(
    (shown): AgentsTool => ({ type: 'delegation', name: shown.name, shown }),
  ),
  ...agent.tools.flatMap((tool): AgentsTool[] => {
    if (tool.type === 'mcp_toolset') return offerTools(tool, toolsOf(tool.mcp_server_name))
    if (tool.type === 'custom') {
      const { name, description, input_schema: inputSchema } = tool
      return [{ type: 'custom', name, shown: { name, description, inputSchema } }]
    }
    return TOOLSET_TOOLS.flatMap((name): AgentsTool[] => {
      const config = tool.configs.find((candidate) => candidate.name === name)
      const { enabled, permission_policy: policy } = config ?? tool.default_config
      return enabled
        ? [{ type: 'toolset', name, policy, config: { ...config }, shown: TOOLSET[name] }]
        : []
    })
  }),
]

/** The settings of one tool in the agent's toolset, such as `allowed_domains`. */
export const configOf = (agent: Agent, name: string): Readonly<Record<string, unknown>> => {
  const tool = expandTools(agent, () => []).find((candidate) => candidate.name === name)
  return tool?.type === 'toolset' ? tool.config : {}
}
