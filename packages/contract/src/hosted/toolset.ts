import { z } from 'zod'
import { toolSetting, toolSettingGiven } from './permission-policy.ts'
import {
  domainLists,
  hasOneDomainList,
  urlSources,
  urlSourcesGiven,
  userLocation,
} from './web-tools.ts'

/** The tools of `agent_toolset_20260401`. */
export const PLAIN_TOOLS = ['bash', 'read', 'write', 'edit', 'glob', 'grep'] as const
export const TOOLSET_TOOLS = [...PLAIN_TOOLS, 'web_fetch', 'web_search'] as const
export type ToolsetTool = (typeof TOOLSET_TOOLS)[number]

const plainGiven = <const Name extends string>(name: Name) =>
  z.strictObject({
    ...toolSettingGiven,
    name: z.literal(name),
    type: z.literal(name).optional(),
  })
const ONE_LIST = 'give allowed_domains or blocked_domains, not both'

/** A tool's configuration in requests. */
export const toolConfigGiven = z.discriminatedUnion('name', [
  plainGiven('bash'),
  plainGiven('read'),
  plainGiven('write'),
  plainGiven('edit'),
  plainGiven('glob'),
  plainGiven('grep'),
  plainGiven('web_fetch')
    .extend({
      ...domainLists,
      max_content_tokens: z.number().int().positive().nullish(),
      url_sources: urlSourcesGiven.nullish(),
    })
    .refine(hasOneDomainList, ONE_LIST),
  plainGiven('web_search')
    .extend({ ...domainLists, user_location: userLocation.nullish() })
    .refine(hasOneDomainList, ONE_LIST),
])
export type ToolConfigGiven = z.infer<typeof toolConfigGiven>

const plain = <const Name extends string>(name: Name) =>
  toolSetting.extend({ name: z.literal(name), type: z.literal(name) })

/** A tool's configuration in answers. */
export const toolConfig = z.discriminatedUnion('name', [
  plain('bash'),
  plain('read'),
  plain('write'),
  plain('edit'),
  plain('glob'),
  plain('grep'),
  plain('web_fetch').extend({
    ...domainLists,
    max_content_tokens: z.number().int().positive().nullish(),
    url_sources: urlSources.nullable(),
  }),
  plain('web_search').extend({ ...domainLists, user_location: userLocation.nullish() }),
])
export type ToolConfig = z.infer<typeof toolConfig>

export const agentToolsetGiven = z.strictObject({
  type: z.literal('agent_toolset_20260401'),
  default_config: z.strictObject(toolSettingGiven).nullish(),
  configs: z.array(toolConfigGiven).optional(),
})
export const agentToolset = z.object({
  type: z.literal('agent_toolset_20260401'),
  default_config: toolSetting,
  configs: z.array(toolConfig),
})
export type AgentToolset = z.infer<typeof agentToolset>
