import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { toolSetting, toolSettingGiven } from './permission-policy.ts'
import { agentToolset, agentToolsetGiven } from './toolset.ts'

const mcpServerName = z.string().min(1).max(HOSTED_LIMITS.mcpServerNameCharacters)
const mcpToolName = z.string().min(1).max(HOSTED_LIMITS.mcpServerNameCharacters)

/** An MCP server that the agent may connect to. */
export const mcpServer = z.strictObject({
  type: z.literal('url'),
  name: mcpServerName,
  url: z.url({ protocol: /^https?$/ }).max(8192),
})
export type McpServer = z.infer<typeof mcpServer>

export const mcpToolsetGiven = z.strictObject({
  type: z.literal('mcp_toolset'),
  mcp_server_name: mcpServerName,
  default_config: z.strictObject(toolSettingGiven).nullish(),
  configs: z.array(z.strictObject({ ...toolSettingGiven, name: mcpToolName })).optional(),
})
export const mcpToolset = z.object({
  type: z.literal('mcp_toolset'),
  mcp_server_name: z.string(),
  default_config: toolSetting,
  configs: z.array(toolSetting.extend({ name: z.string() })),
})
export type McpToolset = z.infer<typeof mcpToolset>

const customTool = {
  type: z.literal('custom'),
  name: z
    .string()
    .max(HOSTED_LIMITS.toolNameCharacters)
    .regex(/^[A-Za-z0-9_-]+$/, 'letters, digits, _ and - only'),
  description: z.string().max(HOSTED_LIMITS.toolDescriptionCharacters),
}

/**
 * A tool that the client executes. Its schema is passed on unchanged; older clients omit `type`.
 */
export const customToolGiven = z.strictObject({
  ...customTool,
  input_schema: z.looseObject({
    type: z.literal('object').optional(),
    properties: z.record(z.string(), z.unknown()).nullish(),
    required: z.array(z.string()).nullish(),
  }),
})
export const customToolResolved = z.object({
  ...customTool,
  input_schema: z.looseObject({
    type: z.literal('object'),
    properties: z.record(z.string(), z.unknown()).optional(),
    required: z.array(z.string()).optional(),
  }),
})
export type CustomTool = z.infer<typeof customToolResolved>

/** A tool in requests, in short form. */
export const agentToolGiven = z
  .discriminatedUnion('type', [agentToolsetGiven, mcpToolsetGiven, customToolGiven])
  .meta({ id: 'AgentToolGiven' })
export type AgentToolGiven = z.infer<typeof agentToolGiven>

/** A tool in answers, with every setting resolved. */
export const agentTool = z
  .discriminatedUnion('type', [agentToolset, mcpToolset, customToolResolved])
  .meta({ id: 'AgentTool' })
export type AgentTool = z.infer<typeof agentTool>
