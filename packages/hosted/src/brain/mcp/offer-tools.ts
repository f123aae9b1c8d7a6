import { createHash } from 'node:crypto'
import type { McpToolset, PermissionPolicy } from '@steward/contract'
import type { ModelTool } from '../models/model.ts'
import type { McpTool } from './mcp.ts'

/** A tool of an MCP server that the agent may call. */
export interface OfferedTool {
  type: 'mcp'
  /** The name that the model uses. */
  name: string
  server: string
  /** The name that the server uses. */
  tool: string
  policy: PermissionPolicy
  shown: ModelTool
}

/** The tools of a server that its toolset allows, under names that are unique for the model. */
export const offerTools = (
  { mcp_server_name: server, default_config, configs }: McpToolset,
  tools: readonly McpTool[],
): OfferedTool[] =>
  tools.flatMap(({ name: tool, description, inputSchema }): OfferedTool[] => {
    const config = configs.find((candidate) => candidate.name === tool) ?? default_config
    if (!config.enabled) return []
    const name = nameTool(server, tool)
    const shown = { name, description, inputSchema }
    return [{ type: 'mcp', name, server, tool, policy: config.permission_policy, shown }]
  })

/** The longest tool name that every model accepts. */
const NAME_CHARS = 64
const HASH_CHARS = 8

/** A tool always gets the same name, whatever other tools exist. */
const nameTool = (server: string, tool: string): string => {
  const plain = `mcp__${server}__${tool}`
  // The end of the server's name must be unambiguous: (a, b__c) and (a__b, c) are different tools.
  const isClear = !/__|_$/.test(server) && /^[A-Za-z0-9_-]+$/.test(plain)
  if (isClear && plain.length <= NAME_CHARS) return plain
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
  const clean = plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, NAME_CHARS - HASH_CHARS - 1)
  return `${clean}_${hash.slice(0, HASH_CHARS)}`
}
