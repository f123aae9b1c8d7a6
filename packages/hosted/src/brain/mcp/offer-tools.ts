import { createHash } from 'node:crypto'
import type { McpToolset, PermissionPolicy } from '@steward/contract'
import type { ModelTool } from '../models/model.ts'
import type { McpTool } from './mcp.ts'

/** A tool of an MCP server that the agent may call. */
export interface OfferedTool {
  type: 'mcp'
  /** As the model calls it. */
  name: string
  server: string
  /** As the server calls it. */
  tool: string
  policy: PermissionPolicy
  shown: ModelTool
}

/** The tools of a server that its toolset lets through, under names that are the model's own. */
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

/** What every model takes as a name. */
const NAME_CHARS = 64
const HASH_CHARS = 8

/** The same for the same tool at any time, whatever other tools there are. */
const nameTool = (server: string, tool: string): string => {
  const plain = `mcp__${server}__${tool}`
  // Where the server's name ends must be clear: a, b__c and a__b, c are two tools.
  const isClear = !/__|_$/.test(server) && /^[A-Za-z0-9_-]+$/.test(plain)
  if (isClear && plain.length <= NAME_CHARS) return plain
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
  const clean = plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, NAME_CHARS - HASH_CHARS - 1)
  return `${clean}_${hash.slice(0, HASH_CHARS)}`
}
