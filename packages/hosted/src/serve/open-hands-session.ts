import { type CredentialAuthGiven, NO_PACKAGES, publicAuth, skillPath } from '@steward/contract'
import { notFound } from '../api/refusal.ts'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type {
  EgressCredential,
  HandsSession,
  MemoryMount,
  Mount,
  Networking,
} from '../hands/hands.ts'
import type { SessionBody } from '../log/session-body.ts'
import { findSession } from '../log/stored-session.ts'
import { exchangeMemories } from '../memory/exchange-memories.ts'
import { openToken } from '../sessions/make-resource.ts'
import { readSkillFiles } from '../skills/stored-skill.ts'
import { isScript } from '../skills/write-zip.ts'
import { openCredentials } from '../vaults/open-credentials.ts'
import type { Seal } from '../vaults/seal.ts'

export interface HandsSessionPorts {
  database: HostedDatabase
  seal: Seal
  /** The bytes of an uploaded file. */
  readUpload: (fileId: string) => Promise<Uint8Array>
}

/**
 * What the hands need to know about a session, with unsealed secrets; it never leaves the process.
 */
export const openHandsSession = async (
  ports: HandsSessionPorts,
  sessionId: string,
): Promise<HandsSession> => {
  const { id, body, credentials } = await ports.database.read(function* () {
    const row = yield* findSession(sessionId)
    // Threads work in the sandbox of their session.
    const session = row?.parentId ? yield* findSession(row.parentId) : row
    if (session === undefined) throw notFound('session', sessionId)
    const opened = yield* openCredentials(session.body.vault_ids, ports.seal)
    return { id: session.id, body: session.body, credentials: opened }
  })
  const { environment } = body
  return {
    id,
    ...(id === sessionId ? {} : { threadId: sessionId }),
    networking: networkingOf(body),
    packages: environment.type === 'cloud' ? environment.packages : NO_PACKAGES,
    mounts: [
      ...body.resources.map((stored): Mount => toMount(ports, id, stored)),
      ...skillsOf(body).map((skill): Mount => toSkillMount(ports, skill)),
    ],
    credentials: credentials.flatMap(({ auth }) => toEgressCredential(auth)),
  }
}

/** The skills of all agents of the session; those with the same name have the same version. */
const skillsOf = ({ skills, roster_skills }: SessionBody): SessionBody['skills'] => [
  ...new Map(
    [...skills, ...Object.values(roster_skills).flat()].map((skill) => [skill.name, skill]),
  ).values(),
]

const toSkillMount = (
  { database }: HandsSessionPorts,
  { version, name }: SessionBody['skills'][number],
): Mount => ({
  type: 'skill',
  id: version,
  path: skillPath(name),
  read: async () => {
    const files = await database.read(() => readSkillFiles(version))
    if (files.length === 0) throw notFound('skill version', version)
    return files.map(({ path, bytes }) => ({ path, bytes, isProgram: isScript(bytes) }))
  },
})

const networkingOf = ({ environment, agent }: SessionBody): Networking => {
  if (environment.type !== 'cloud' || environment.networking.type === 'unrestricted')
    return { type: 'unrestricted' }
  const { networking } = environment
  return {
    type: 'limited',
    allowedHosts: networking.allowed_hosts,
    allowPackageManagers: networking.allow_package_managers,
    mcpHosts: networking.allow_mcp_servers
      ? [agent, ...(agent.multiagent?.agents ?? [])].flatMap(({ mcp_servers }) =>
          mcp_servers.map(({ url }) => new URL(url).hostname),
        )
      : [],
  }
}

const toMount = (
  { database, seal, readUpload }: HandsSessionPorts,
  sessionId: string,
  stored: SessionBody['resources'][number],
): Mount => {
  const { resource } = stored
  const { id, mount_path: path } = resource
  if (resource.type === 'file')
    return { type: 'file', id, path, read: () => readUpload(resource.file_id) }
  if (resource.type === 'memory_store') {
    const { memory_store_id: storeId, access } = resource
    const actor = { type: 'session_actor' as const, session_id: sessionId }
    const exchange: MemoryMount['exchange'] = (local, changes) => {
      const work = () => exchangeMemories(storeId, local, changes, { actor, nowMs: Date.now() })
      return changes.length === 0 ? database.read(work) : database.write(work)
    }
    return { type: 'memory', id, path, access, exchange }
  }
  const token = openToken(seal, stored)
  return {
    type: 'repository',
    id,
    path,
    url: resource.url,
    ...(resource.checkout ? { checkout: resource.checkout } : {}),
    ...(token === undefined ? {} : { token }),
  }
}

/**
 * Only secrets for requests of programs go through the proxy; those of MCP servers never enter the
 * sandbox.
 */
const toEgressCredential = (auth: CredentialAuthGiven): EgressCredential[] => {
  const shown = publicAuth(auth)
  if (auth.type !== 'environment_variable' || shown.type !== auth.type) return []
  const { networking } = shown
  return [
    {
      name: auth.secret_name,
      secret: auth.secret_value,
      allowedHosts: networking.type === 'limited' ? networking.allowed_hosts : 'any',
      inject: shown.injection_location,
    },
  ]
}
