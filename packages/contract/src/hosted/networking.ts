import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'

const hostText = z
  .string()
  .max(300)
  .transform((host) =>
    host
      .replace(/^https:\/\//i, '')
      .replace(/\/$/, '')
      .toLowerCase(),
  )

/**
 * A host; a leading `*.` includes its subdomains. A leading `https://` and a trailing slash are
 * removed.
 */
export const allowedHost = hostText.pipe(
  z.string().regex(/^(\*\.)?[^\s/:@?#*[\]]+$/, 'a host such as api.example.com'),
)

/** Such a host, optionally with a port, such as `db.example.com:5432`; without one, 80 and 443. */
const allowedTarget = hostText.pipe(
  z
    .string()
    .regex(
      /^(\*\.)?[^\s/:@?#*[\]]+(:\d{1,5})?$/,
      'a host such as api.example.com, or one with a port such as db.example.com:5432',
    )
    .refine((target) => isPort(target.split(':')[1] ?? '443'), 'a port from 1 to 65535'),
)

const LAST_PORT = 65_535
const isPort = (digits: string): boolean => Number(digits) >= 1 && Number(digits) <= LAST_PORT

export const environmentNetworking = z.discriminatedUnion('type', [
  z.object({ type: z.literal('unrestricted') }),
  z.object({
    type: z.literal('limited'),
    allowed_hosts: z.array(z.string()),
    allow_mcp_servers: z.boolean(),
    allow_package_managers: z.boolean(),
  }),
])
export type EnvironmentNetworking = z.infer<typeof environmentNetworking>

export const networkingGiven = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('unrestricted') }),
  z.strictObject({
    type: z.literal('limited'),
    allowed_hosts: z.array(allowedTarget).max(HOSTED_LIMITS.environmentHosts).nullish(),
    allow_mcp_servers: z.boolean().nullish(),
    allow_package_managers: z.boolean().nullish(),
  }),
])
export type NetworkingGiven = z.infer<typeof networkingGiven>

/**
 * The networking after an update: omitted keeps, null closes. Null for the whole object also keeps
 * it, because removing a limit must be explicit.
 */
export const resolveNetworking = (
  given: NetworkingGiven | null | undefined,
  before: EnvironmentNetworking,
): EnvironmentNetworking => {
  if (!given) return before
  if (given.type === 'unrestricted') return { type: 'unrestricted' }
  const kept = before.type === 'limited' ? before : undefined
  const pick = <T>(sent: T | null | undefined, old: T | undefined, closed: T): T =>
    sent === undefined ? (old ?? closed) : (sent ?? closed)
  return {
    type: 'limited',
    allowed_hosts: pick(given.allowed_hosts, kept?.allowed_hosts, []),
    allow_mcp_servers: pick(given.allow_mcp_servers, kept?.allow_mcp_servers, false),
    allow_package_managers: pick(given.allow_package_managers, kept?.allow_package_managers, false),
  }
}
