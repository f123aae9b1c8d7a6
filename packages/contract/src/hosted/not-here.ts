/** A part of the vendor's API that this server refuses. */
export interface HostedRefusal {
  /** The path of the part; everything below belongs to it. */
  path: string
  subject: string
  /** A part below the path that works. */
  except?: string
  reason: string
}

/** The parts that clients have methods for and this server does not offer. */
export const HOSTED_REFUSALS: readonly HostedRefusal[] = [
  {
    path: '/v1/dreams',
    subject: 'dreams',
    reason: 'let a deployment start a session whose agent reviews the memories instead',
  },
  {
    path: '/v1/messages',
    subject: 'messages',
    reason: 'this server runs agents; send messages to the provider of the model itself',
  },
  {
    path: '/v1/user_profiles',
    subject: 'user_profiles',
    reason: 'user accounts are not available; store the user in the metadata of a session',
  },
  {
    path: '/v1/tunnels',
    subject: 'tunnels',
    reason:
      'the server connects to MCP servers itself; name private ones in hosted.mcpPrivateHosts',
  },
  {
    path: '/v1/organizations',
    subject: 'organizations',
    except: '/v1/organizations/webhooks',
    reason:
      'a server belongs to one operator; manage keys with `steward hosted keys`, everything else in settings.json',
  },
]

/** The refusal for a path; undefined if no refused part contains it. */
export const findHostedRefusal = (path: string): HostedRefusal | undefined =>
  HOSTED_REFUSALS.find(
    (part) =>
      isBelow(path, part.path) && !(part.except !== undefined && isBelow(path, part.except)),
  )

const isBelow = (path: string, part: string): boolean =>
  path === part || path.startsWith(`${part}/`)
