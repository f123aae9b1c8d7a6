import { resolveSetting, type ToolSetting } from './permission-policy.ts'
import type { AgentTool, AgentToolGiven } from './tools.ts'
import type { AgentToolset, ToolConfig, ToolConfigGiven, ToolsetTool } from './toolset.ts'
import { resolveUrlSources } from './web-tools.ts'

/** Default of a toolset: its tools are enabled and run immediately. */
const TOOLSET_DEFAULT: ToolSetting = {
  enabled: true,
  permission_policy: { type: 'always_allow' },
}
/** Tools of an MCP server need approval by default. */
const MCP_DEFAULT: ToolSetting = { enabled: true, permission_policy: { type: 'always_ask' } }

/** Tools in answers: each setting is resolved from the tool, then its toolset, then the default. */
export const resolveTools = (given: readonly AgentToolGiven[]): AgentTool[] =>
  given.map(resolveTool)

const resolveTool = (given: AgentToolGiven): AgentTool => {
  if (given.type === 'custom') {
    const { properties, required, ...rest } = given.input_schema
    return {
      type: given.type,
      name: given.name,
      description: given.description,
      input_schema: {
        ...rest,
        type: 'object',
        ...(properties ? { properties } : {}),
        ...(required ? { required } : {}),
      },
    }
  }
  if (given.type === 'mcp_toolset') {
    const setting = resolveSetting(given.default_config, MCP_DEFAULT)
    return {
      type: given.type,
      mcp_server_name: given.mcp_server_name,
      default_config: setting,
      configs: (given.configs ?? []).map((config) => ({
        name: config.name,
        ...resolveSetting(config, setting),
      })),
    }
  }
  const setting = resolveSetting(given.default_config, TOOLSET_DEFAULT)
  return {
    type: given.type,
    default_config: setting,
    configs: (given.configs ?? []).map((config) => resolveConfig(config, setting)),
  }
}

const resolveConfig = (given: ToolConfigGiven, toolset: ToolSetting): ToolConfig => {
  const setting = resolveSetting(given, toolset)
  if (given.name === 'web_fetch') {
    return {
      ...given,
      ...setting,
      type: given.name,
      url_sources: resolveUrlSources(given.url_sources),
    }
  }
  if (given.name === 'web_search') return { ...given, ...setting, type: given.name }
  // Spelled out by name because TypeScript treats the config of each tool as a distinct type.
  switch (given.name) {
    case 'bash':
      return { name: 'bash', type: 'bash', ...setting }
    case 'read':
      return { name: 'read', type: 'read', ...setting }
    case 'write':
      return { name: 'write', type: 'write', ...setting }
    case 'edit':
      return { name: 'edit', type: 'edit', ...setting }
    case 'glob':
      return { name: 'glob', type: 'glob', ...setting }
    case 'grep':
      return { name: 'grep', type: 'grep', ...setting }
  }
}

/** The setting of one tool: its own configuration, or the toolset's. */
export const settingOfTool = (toolset: AgentToolset, name: ToolsetTool): ToolSetting =>
  toolset.configs.find((config) => config.name === name) ?? toolset.default_config
