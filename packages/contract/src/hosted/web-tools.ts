import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'

/** A host without scheme, port or path; includes its subdomains. */
const bareHost = z
  .string()
  .max(253)
  .regex(/^[^\s/:@?#]+$/, 'a bare host such as docs.example.com')
const hosts = z.array(bareHost).min(1).max(HOSTED_LIMITS.domains)
export const domainLists = { allowed_domains: hosts.optional(), blocked_domains: hosts.optional() }

export const hasOneDomainList = (config: {
  allowed_domains?: unknown
  blocked_domains?: unknown
}): boolean => config.allowed_domains === undefined || config.blocked_domains === undefined

export const userLocation = z.strictObject({
  type: z.literal('approximate'),
  city: z.string().nullish(),
  region: z.string().nullish(),
  country: z.string().nullish(),
  timezone: z.string().nullish(),
})

const toolNames = z.array(
  z.strictObject({ type: z.literal('tool_reference'), name: z.string().min(1) }),
)
const allOrNone = [
  z.strictObject({ type: z.literal('all') }),
  z.strictObject({ type: z.literal('none') }),
] as const
const userInput = z.discriminatedUnion('type', [...allOrNone])
const toolFilter = z.discriminatedUnion('type', [
  ...allOrNone,
  z.strictObject({ type: z.literal('only'), tools: toolNames }),
  z.strictObject({ type: z.literal('except'), tools: toolNames }),
])

/** Where web_fetch may take URLs from; null allows all URLs of that source. */
export const urlSources = z.object({
  user_input: userInput.nullable(),
  client_tool_results: toolFilter.nullable(),
  server_tool_results: toolFilter.nullable(),
})
export type UrlSources = z.infer<typeof urlSources>

const shorthand = z.enum(['all', 'none'])
export const urlSourcesGiven = z.strictObject({
  user_input: z.union([shorthand, userInput]).nullish(),
  client_tool_results: z.union([shorthand, toolFilter]).nullish(),
  server_tool_results: z.union([shorthand, toolFilter]).nullish(),
})

const expand = <T extends object>(given: 'all' | 'none' | T | null | undefined) =>
  typeof given === 'string' ? { type: given } : (given ?? null)

export const resolveUrlSources = (
  given: z.infer<typeof urlSourcesGiven> | null | undefined,
): UrlSources | null =>
  given
    ? {
        user_input: expand(given.user_input),
        client_tool_results: expand(given.client_tool_results),
        server_tool_results: expand(given.server_tool_results),
      }
    : null
