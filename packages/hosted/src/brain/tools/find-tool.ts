import { type PermissionPolicy, TOOLSET_TOOLS, type ToolsetTool } from '@steward/contract'
import type { SessionBody } from '../../sessions/session-body.ts'
import type { ModelTool } from '../models/model.ts'
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

/** The tools an agent has, in the order it names them. MCP servers are not connected to. */
export const listTools = (agent: Agent): readonly AgentsTool[] =>
  agent.tools.flatMap((tool): AgentsTool[] => {
    if (tool.type === 'mcp_toolset') return []
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
  })

export const findTool = (agent: Agent, name: string): AgentsTool | undefined =>
  listTools(agent).find((tool) => tool.name === name)
